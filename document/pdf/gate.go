package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/document/format"
)

// tally counts the characters of a page as its fonts report them, before they
// are cleaned.
type tally struct {
	drawn    int // all that are not spaces
	replaced int // U+FFFD, control characters and non-characters
	private  int // of the private use areas, without the marks that lists begin with
	odd      int // signs that texts use sparingly; a line of the same one counts once
}

// oddSigns leaves out what contracts do use: amounts, shares, omissions, blanks.
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

// The gate's thresholds, set where the pages of real contracts and the same
// pages garbled (see TestGateOnContracts) part.
const (
	maxReplaced    = 0.05 // share of the characters
	maxPrivate     = 0.10
	maxCID         = 0.05
	maxOdd         = 0.10
	maxImplausible = 0.20 // share of the letters of the words that can be judged
	minJudged      = 10   // different words; fewer are believed
	shortest       = 4    // letters of a word that can be judged
	fullImage      = 0.50 // share of the page from which it counts as a picture
	stampWords     = 40   // as many words may be stamped on a scan: headers, page and case numbers
)

// judge decides whether a page's text layer can be used. Besides the text it needs how
// the fonts encoded it (t) and what else is drawn on the page (c).
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
	// Text that is not drawn was left beneath a scan by an earlier recognition:
	// having passed so far it is as good as what we would find.
	case imageArea >= fullImage && words < stampWords && c.invisible*2 < c.texts:
		return format.ReasonImage
	default:
		return format.ReasonGood
	}
}

func ratio(part, whole int) float64 { return float64(part) / float64(whole) }

// implausible is the share of a text's letters that stand in words no European
// language would spell so, or in tokens that mix letters, digits and signs
// beyond what codes and amounts do; 0 where there is too little to judge. Other
// scripts are not judged, and a word counts once however often it is repeated.
func implausible(text string) float64 {
	letters, bad := 0, 0
	seen := map[string]bool{}
	for token := range strings.FieldsSeq(text) {
		scrambled := isScrambled(token)
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

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) }

// spelling sums over word how much likelier each letter follows the one before
// than by chance, and counts its letters; 0, 0 if some are not Latin.
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
		return -1 // Vietnamese, which spells unlike any language of Europe
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

// evenOdds is the letter in followers for a pair as frequent as chance has it.
const evenOdds = 'a' + 12

// followers tells for each letter, and the start of a word, how likely every
// letter follows: four steps of the alphabet are a factor of e. The first
// column, the end of a word, is not used. It is the mean over the vocabularies
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
