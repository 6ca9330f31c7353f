package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/document/format"
)

// tally counts the characters of a page as the fonts report them, before cleaning.
type tally struct {
	drawn    int // all that are not spaces
	replaced int // U+FFFD, control characters and non-characters
	private  int // from private use areas, except bullets of lists
	odd      int // signs that are rare in texts; a run of the same one counts once
}

// oddSigns are the signs that are rare in contracts. Those of amounts, percentages,
// omissions and blanks to fill in are not among them.
const oddSigns = "!#+<=>?@\\^`{|}~"

func count(glyphs []glyph) tally {
	var t tally
	for i, g := range glyphs {
		switch {
		case unicode.IsSpace(g.r):
			continue
		case isHyphen(g.r):
		case g.r == unicode.ReplacementChar, unicode.Is(unicode.Cc, g.r), format.NonCharacter(g.r):
			t.replaced++
		case unicode.Is(unicode.Co, g.r) && drawn[g.r] == "":
			t.private++
		case strings.ContainsRune(oddSigns, g.r) && (i == 0 || glyphs[i-1].r != g.r):
			t.odd++
		}
		t.drawn++
	}
	return t
}

// The gate's thresholds. They separate pages of real contracts from the same pages
// garbled (see TestGateOnContracts).
const (
	maxReplaced    = 0.05 // share of the characters
	maxPrivate     = 0.10
	maxCID         = 0.05
	maxOdd         = 0.10
	maxImplausible = 0.20 // share of the letters of the words that can be judged
	minJudged      = 10   // different words; pages with fewer are accepted
	shortest       = 4    // letters of a word that can be judged
	fullImage      = 0.50 // share of the page from which it counts as a picture
	stampWords     = 40   // as many words may be stamped on a scan: headers, page and case numbers
)

// judge decides whether a page's text layer can be used. Besides the text it needs how
// many words are the page's own, how the fonts encoded it (t) and what else is drawn on
// the page (c). The values of a form on a scan do not make up for what is printed there.
func judge(text string, words int, imageArea float32, t tally, c content) format.Reason {
	switch {
	case t.drawn == 0 && c.texts == 0 && len(c.images) == 0 && c.drawings == 0:
		return format.ReasonBlank
	case t.drawn == 0:
		return format.ReasonNoText
	case ratio(t.replaced, t.drawn) > maxReplaced:
		return format.ReasonReplacement
	case ratio(t.private, t.drawn) > maxPrivate:
		return format.ReasonPrivateUse
	case ratio(strings.Count(text, "(cid:")*len("(cid:123)"), t.drawn) > maxCID:
		return format.ReasonCID
	case ratio(t.odd, t.drawn) > maxOdd, implausible(text) > maxImplausible:
		return format.ReasonImplausible
	// Invisible text comes from an earlier OCR of a scan. Since it has passed the
	// checks so far, it is as good as a new recognition would be.
	case imageArea >= fullImage && words < stampWords && c.invisible*2 < c.texts:
		return format.ReasonImage
	default:
		return format.ReasonGood
	}
}

func ratio(part, whole int) float64 { return float64(part) / float64(whole) }

// implausible is the share of a text's letters in words with a spelling that no
// European language has, or in tokens that mix letters, digits and signs more than
// codes and amounts do. It is 0 where there is too little text to judge. Other scripts
// are not judged, and repeated words count once.
func implausible(text string) float64 {
	letters, bad := 0, 0
	seen := map[string]bool{}
	for token := range strings.FieldsSeq(text) {
		scrambled := isScrambled(token) || mixesScripts(token)
		if n := utf8.RuneCountInString(token); scrambled && n >= shortest && !seen[token] {
			seen[token] = true
			letters += n
			bad += n
		}
		for word := range strings.FieldsFuncSeq(token, notLetter) {
			score, n := spelling(word)
			if n < shortest || scrambled || seen[word] {
				continue
			}
			seen[word] = true
			letters += n
			if score < 0 {
				bad += n
			}
		}
	}
	if len(seen) < minJudged {
		return 0
	}
	return ratio(bad, letters)
}

// The shares of what recognition read that a sound text layer has. At least a fifth of
// the letters of a layer that looks garbled do so (maxImplausible); words of sound ones
// are nearly all read as they are. Codes are misread more often, and hardly ever read
// by chance as another layer has them.
const (
	minConfirmedWords = 0.85
	minConfirmedCodes = 0.5
)

// Confirms reports whether a text layer says what recognition read off the page:
// whether it has the words with a plausible spelling, or the codes where there are no
// such words. Where recognition puts spaces does not count, nor what it makes of signs
// that it does not know: arrows, ornaments.
func Confirms(read, layer string) bool {
	signs, found := countSigns(layer), 0
	layer = strings.Join(strings.FieldsFunc(layer, notLetter), "")
	var words, codes share
	for word := range strings.FieldsFuncSeq(read, notLetter) {
		score, n := spelling(word)
		switch {
		case utf8.RuneCountInString(word) < shortest:
		case n > 0 && score >= 0:
			has := strings.Contains(layer, word)
			if has {
				found += n
			} else if signs >= n && found >= n {
				signs, found = signs-n, found-n
				continue
			}
			words.add(has)
		default:
			codes.add(strings.Contains(layer, word))
		}
	}
	if words.all > 0 {
		return ratio(words.have, words.all) >= minConfirmedWords
	}
	return codes.all > 0 && ratio(codes.have, codes.all) >= minConfirmedCodes
}

// countSigns counts the signs of a text that are not on keyboards.
func countSigns(text string) (n int) {
	for _, r := range text {
		if r > unicode.MaxLatin1 && unicode.IsSymbol(r) {
			n++
		}
	}
	return n
}

// share counts how many of all have something.
type share struct{ have, all int }

func (s *share) add(has bool) {
	s.all++
	if has {
		s.have++
	}
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) }

// spelling sums, over the letters of a word, how much more probable each one is after
// the previous letter than by chance, and counts the letters. It returns 0, 0 if some
// letters are not Latin.
func spelling(word string) (score, letters int) {
	previous := 0
	for _, r := range word {
		if r >= utf8.RuneSelf {
			if r = baseLetter(r); r == 0 {
				continue
			}
		}
		r |= ' ' // lower case
		if r < 'a' || r > 'z' {
			return 0, 0
		}
		next := int(r-'a') + 1
		score += int(followers[previous*27+next]) - evenOdds
		previous = next
		letters++
	}
	return score, letters
}

// baseLetter strips the marks off a Latin letter: 0 for a mark alone, -1 for a
// letter of another script.
func baseLetter(r rune) rune {
	switch {
	case unicode.Is(unicode.Mn, r):
		return 0
	case r >= 0x1EA0 && r <= 0x1EFF, r == 'ơ', r == 'ư':
		return -1 // Vietnamese, whose spelling differs from all European languages
	}
	switch r {
	case 'ß':
		return 's'
	case 'ø', 'Ø', 'œ', 'Œ':
		return 'o'
	case 'æ', 'Æ':
		return 'a'
	case 'ł', 'Ł':
		return 'l'
	case 'đ', 'Đ', 'ð', 'Ð':
		return 'd'
	case 'ı':
		return 'i'
	}
	var buf [utf8.UTFMax]byte
	base, _ := utf8.DecodeRune(norm.NFD.Append(nil, buf[:utf8.EncodeRune(buf[:], r)]...))
	if base >= utf8.RuneSelf {
		return -1
	}
	return base
}

// apartScripts are scripts of which no word has letters of two.
var apartScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Hebrew, unicode.Cyrillic, unicode.Greek, unicode.Han, unicode.Hangul, unicode.Thai, unicode.Devanagari, unicode.Bengali,
	unicode.Georgian, unicode.Armenian, unicode.Ethiopic, unicode.Tibetan, unicode.Mongolian, unicode.Myanmar, unicode.Khmer,
}

// mixesScripts reports whether a word has letters of two scripts that do not mix. Latin
// letters stand beside all, and Chinese ones among Korean.
func mixesScripts(token string) bool {
	var found *unicode.RangeTable
	for _, r := range token {
		if r < 0x370 || !unicode.IsLetter(r) {
			continue
		}
		for _, script := range apartScripts {
			if !unicode.Is(script, r) {
				continue
			}
			if found != nil && found != script && !(isEastAsian(found) && isEastAsian(script)) {
				return true
			}
			found = script
			break
		}
	}
	return false
}

func isEastAsian(script *unicode.RangeTable) bool {
	return script == unicode.Han || script == unicode.Hangul
}

// isScrambled reports whether a token changes between letters, digits and signs
// more often than codes ("10-K/A", "[***]", "$1,250.00", "(a)(ii)") do.
func isScrambled(token string) bool {
	const (
		separator = iota
		lower
		upper
		digit
		sign
	)
	previous, changes := separator, 0
	for _, r := range token {
		class := separator
		switch {
		case unicode.IsUpper(r):
			class = upper
		case unicode.IsLetter(r):
			class = lower
		case unicode.IsDigit(r):
			class = digit
		case strings.ContainsRune(oddSigns+"$%*_", r):
			class = sign
		}
		if class != previous && class != separator && previous != separator && (previous != upper || class != lower) {
			changes++
		}
		previous = class
	}
	return changes >= 3
}

// evenOdds is the letter in followers for a pair that is as frequent as by chance.
const evenOdds = 'a' + 12

// followers has for each letter, and for the start of a word, how probable every
// letter is as the next one: four steps of the alphabet are a factor of e. The first
// column, the end of a word, is not used. The values are means over the vocabularies
// of 17 European languages (those of the Punkt sentence models).
const followers = "" +
	"aonnnmmmlmiomolmpbnqnkniafj" + // word start
	"rkkmneilhkilqnrdkaqopkldagi" + // a
	"ksiedtaaarfcpbhqaaqkepdaaka" + // b
	"lrajbraatrepkciraakelmaaahj" + // c
	"qrfchubedrdfjfkqeamlfngdahi" + // d
	"siglmjglgkikomsfiasqogjdfeh" + // e
	"mrcafrnfatecnbdsaaqimnbbaga" + // f
	"qsbaftajjrccmemqaapmipbaada" + // g
	"rtbbftaabqhgjhiraakfnoheaia" + // h
	"pnhnmphmggimomsnhcmqpelaadj" + // i
	"mubcktebaoajggjscadkercaabc" + // j
	"qscdbsccgqdkneirbannnofdaka" + // k
	"osffktegetihpjjpeaallnhaajb" + // l
	"qtkcetebdsachmhqnaejgnaaaha" + // m
	"sqdlprgofqhigdlnbaboqkgaaif" + // n
	"qekkmihlhjhkposkmaspmlmjafi" + // o
	"lsacbsfchpacocesnaskknaaaea" + // p
	"nkbaadabaiaabaadadbaaunaaaa" + // q
	"pshhlsejfrgkiklqfajmnmidahj" + // r
	"sofmcqfdgpfokjhnmaentmhdahi" + // s
	"rsdcatcchsdgifipaaplmogeaje" + // t
	"plllnmhkgmjlpnqhmaqqpiifdfi" + // u
	"luaaduacatadibiqaajidkeaaid" + // v
	"pufedtbaktafhekqcaimfgabaka" + // w
	"tpemcqhahsadgeemraagpkhblha" + // x
	"unimloglgiglnnnokanpnjhhaee" + // y
	"qthgiscfmrdhjhkpgaeggnghajn" // z
