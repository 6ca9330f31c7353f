package lex

import "strings"

// Sense is what a word means to extractors.
type Sense struct {
	Class Class
	Value int32 // what that says of the word, by its class
}

// Class is the sort of words that a word belongs to; most belong to none.
type Class uint8

// The classes, and what the value of a word is.
const (
	_           Class = iota
	MonthWord         // value: 1 to 12
	NumeralWord       // value: 0 to 90, and to 999,999 where numbers are one word
	OrdinalWord       // value: 1 to 31
	HundredWord
	ScaleWord     // value: the power of ten
	UnitWord      // value: the letter of the unit in ISO 8601, or Q for a quarter
	CorporateWord // closes the name of a company
	StreetWord    // closes the name of a street
	FrameWord     // is around names, with a capital at times, and in none
	BodyWord      // opens the name of a body that has no legal form at its end: a foundation, a town
)

// senses are looked up in lower case.
var senses = func() map[string]Sense {
	all := map[string]Sense{}
	add := func(class Class, first, step int, words string) {
		for i, group := range strings.Split(words, " ") {
			for word := range strings.SplitSeq(group, "|") {
				all[word] = Sense{class, int32(first + i*step)}
			}
		}
	}
	add(MonthWord, 1, 1, "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct november|nov december|dec")
	add(NumeralWord, 0, 1, "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	add(NumeralWord, 20, 10, "twenty thirty forty|fourty fifty sixty seventy eighty ninety")
	add(OrdinalWord, 1, 1, "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth")
	add(OrdinalWord, 30, 10, "thirtieth fortieth fiftieth")
	add(HundredWord, 0, 0, "hundred")
	add(ScaleWord, 3, 3, "thousand million|mm|mn billion|bn trillion")
	add(UnitWord, 'D', 0, "day|days")
	add(UnitWord, 'W', 0, "week|weeks")
	add(UnitWord, 'M', 0, "month|months|mos")
	add(UnitWord, 'Y', 0, "year|years|yr|yrs")
	add(UnitWord, 'Q', 0, "quarter|quarters")
	add(CorporateWord, 0, 0, "inc|incorporated|corp|corporation|llc|llp|lp|ltd|limited|plc|gmbh|ag|nv|bv|sarl|sa|spa|srl|pte|pty|kg|kk|oy|ab|aps|asa|oyj|ltda|lda|kft|zrt|jsc|ojsc|pjsc|uab|ulc|co|company|bank|trust|foundation|university|partnership|association|institute|sas|kgaa|bhd|sdn|lllp|pllc")
	add(BodyWord, 0, 0, "stichting|vereniging|fundación|fundacion|fundação|fundacao|fondazione|fondation|asociación|asociacion|associação|associazione|sociedade|sociedad|universidade|universidad|università|université")
	add(StreetWord, 0, 0, "street|st|avenue|ave|road|rd|boulevard|blvd|drive|dr|lane|ln|way|parkway|pkwy|highway|hwy|plaza|place|pl|court|ct|circle|square|terrace|center|centre|row|broadway|loop|turnpike|pike|trail|park|building|tower|floor|suite")
	add(FrameWord, 0, 0, "the|this|a|an|by|between|among|with|whereas|section|agreement|exhibit|to|in|if|each|for|from|either|any|no|such|all|dated|contract|amendment|on|date|page|table|part|name|title|signature|copyright|schedule|attention|attn|is|it|its|however|unless|upon|both|neither|officer|counsel|president|member|esq|ceo|cfo|secretary|treasurer|when|where|but|or|as|at|under|owned|wholly")
	return all
}()

// longestSense bounds the words that are looked up.
const longestSense = 14

// senseEnds tells for a first and a last letter, of which some share a place,
// the lengths of the words with a sense that have those, as a bit set. Most words
// are none, and need not be looked up.
var senseEnds = func() (ends [32][32]uint32) {
	for word := range senses {
		ends[word[0]&0x1f][word[len(word)-1]&0x1f] |= 1 << len(word)
	}
	return ends
}()

// SenseOf looks word up, in any case and with or without a possessive 's; the zero
// Sense is that of most words.
func SenseOf(word string) Sense {
	n := len(word)
	if n > 2 && word[n-2] == '\'' && word[n-1]|0x20 == 's' {
		n -= 2 // "one year's notice"
	}
	if n == 0 || n > longestSense || senseEnds[word[0]&0x1f][word[n-1]&0x1f]>>n&1 == 0 {
		return Sense{}
	}
	var lower [longestSense]byte
	for i := range n {
		c := word[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	return senses[string(lower[:n])]
}
