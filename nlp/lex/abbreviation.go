package lex

import "strings"

// maxAbbreviation bounds how far back the word before a stop is read.
const maxAbbreviation = 24

// abbreviationKind says when the stop behind an abbreviation does not end the
// sentence.
type abbreviationKind uint8

const (
	notAbbreviated abbreviationKind = iota
	beforeName                      // never ends one: a name or a text follows
	beforeNumber                    // does not where a number follows
	beforeDay                       // does not where a figure follows
	afterName                       // ends one only before a word that opens sentences
)

// abbreviations are looked up as written and then in lower case.
var abbreviations = func() map[string]abbreviationKind {
	kinds := map[abbreviationKind]string{
		beforeName: "mr mrs ms dr prof hon messrs mme rev gen col capt lt sgt v vs viz cf e.g i.e eg ie ibid approx incl excl attn c/o",
		beforeNumber: "no nos sec secs sect art arts exh exhs ex para paras par pars cl ch fig figs vol p pp sched scheds app apps " +
			"reg regs stat stats tit subsec ann div item ser rm ste apt bldg fl tel ext ph",
		beforeDay: "jan feb mar apr jun jul aug sep sept oct nov dec",
		afterName: "inc corp co cos ltd llc l.l.c llp l.l.p lp l.p plc p.l.c pty gmbh s.a n.a n.v b.v a.g s.p.a s.r.l s.a.r.l bros assoc assn dept univ intl mfg " +
			"jr sr esq ph.d m.d d.o j.d ll.m b.a m.b.a c.p.a u.s u.k e.u u.n u.s.a u.s.c c.f.r d.c p.o a.m p.m et al etc st ave blvd rd ln hwy ft mt " +
			"u.c.c fed cir ct supp cal del mass wash tex fla ill mich minn conn ariz colo penn wis okla ore tenn ind kan ky miss mo mont neb nev n.y n.j n.c s.c n.d s.d n.h n.m r.i w.va " +
			"yr yrs mo mos hr hrs min sq lb lbs oz govt admin est",
	}
	all := map[string]abbreviationKind{}
	for kind, words := range kinds {
		for word := range strings.FieldsSeq(words) {
			all[word] = kind
		}
	}
	return all
}()

// Openers begin sentences and do not follow a name in its middle.
var Openers = func() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(`The This These That Those If In Any All Each Every Such Upon Except Notwithstanding It Its He She They We You Our Your
		Unless Until When Where Whenever Whether While Neither Either Nothing No Both During On At As By To From With Within Without Under After Before For Further Furthermore
		However Moreover Accordingly Additionally Also Please Provided Should There Therefore Thereafter Subject Pursuant Since Only Once One Other Following
		WHEREAS NOW Whereas Now`) {
		all[word] = true
	}
	return all
}()

// Labels come before a letter that is their name and not an initial: the stop
// in "as set out in Exhibit B." ends the sentence.
var Labels = map[string]bool{
	"exhibit": true, "schedule": true, "annex": true, "appendix": true, "attachment": true, "section": true, "article": true, "part": true,
	"class": true, "series": true, "type": true, "phase": true, "tranche": true, "group": true, "table": true, "item": true, "clause": true, "paragraph": true, "category": true, "addendum": true, "tier": true, "level": true, "option": true, "plan": true, "party": true,
}

// afterLabel reports whether s closes with one of labels.
func afterLabel(s string) bool {
	s = strings.TrimRight(s, " \t\n\"“‘'")
	word := WordBefore(s)
	return word != "" && Labels[strings.ToLower(word)]
}

// isInitials reports whether word is one capital or capitals with stops between
// them: "J", "U.S", "P.L.C".
func isInitials(word string) bool {
	for i := range len(word) {
		if i%2 == 0 && (word[i] < 'A' || word[i] > 'Z') || i%2 == 1 && word[i] != '.' {
			return false
		}
	}
	return len(word)%2 == 1
}
