package query

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What is here are the rules for periods, and for which date of a file they are about.

// span are the bounds of a time, without the field that they are of.
type span []Filter

func from(v string) span   { return span{{Op: AtLeast, Values: []string{v}}} }
func before(v string) span { return span{{Op: Below, Values: []string{v}}} }
func fromTo(first, last string) span {
	return append(from(first), Filter{Op: AtMost, Values: []string{last}})
}
func within(first, next string) span { return append(from(first), before(next)...) }

// of are the bounds of a field.
func (s span) of(f Field) []Filter {
	list := slices.Clone(s)
	for i := range list {
		list[i].Field = f
	}
	return list
}

// meets reports whether a span and another one, of which each is open on the other's side,
// are the two ends of one time.
func (s span) meets(other span) bool {
	if len(s) != 1 || len(other) != 1 || s.isStart() == other.isStart() {
		return false
	}
	first, next := s, other
	if !s.isStart() {
		first, next = other, s
	}
	at, _, err := parseTime(first[0].Values[0], time.Time{})
	end, _, later := parseTime(next[0].Values[0], time.Time{})
	return err != nil || later != nil || at.Before(end) // relative dates are as far as they are
}

func (s span) isStart() bool { return s[0].Op == AtLeast || s[0].Op == Above }

// dating is a date that was spoken of, with the periods in which it lies. The field is ""
// where only a period was named so far.
type dating struct {
	field  Field
	spans  []span   // alternatives
	said   []int    // of understood: what tells of the periods
	words  string   // that name the date
	end    int      // the token behind them
	idle   bool     // they mean nothing without a period
	soon   bool     // without a period they mean soon
	always bool     // soon, also where they are what is counted by
	ahead  bool     // what has been is not meant
	behind bool     // what is to come is not meant
	not    bool     // it does not lie there
	or     []Filter // what holds where the date does not lie there
}

// topic is the date that was spoken of last.
func (p *parser) topic() Field {
	if n := len(p.datings); n > 0 {
		return p.datings[n-1].field
	}
	return ""
}

// about begins to speak of a date. What was kept of the parser before stays as it was.
func (p *parser) about(f Field) *dating {
	p.datings = slices.Clone(p.datings)
	if len(p.datings) == 0 || p.topic() != f {
		p.datings = append(p.datings, dating{field: f})
	}
	return &p.datings[len(p.datings)-1]
}

// near has the date lie soon where no period is named, which the words said of understood tell.
func (d *dating) near(said int) {
	d.soon, d.always, d.ahead, d.idle = true, true, true, true
	d.said = append(d.said, said)
}

// isAhead reports whether all of the times begin in the days to come.
func (d *dating) isAhead() bool {
	return d.spans != nil && !slices.ContainsFunc(d.spans, func(s span) bool {
		m := relative.FindStringSubmatch(s[0].Values[0])
		return m == nil || !s.isStart() || !strings.HasPrefix(m[2], "+") && !(len(s) > 1 && strings.HasPrefix(s[1].Values[0], "today+"))
	})
}

// lies says when the date lies that is spoken of. A second time has to be the other end
// of the first: anything else would find nothing.
func (p *parser) lies(spans ...span) bool {
	d := p.about(p.topic())
	switch {
	case len(d.spans) == 0:
		d.spans = spans
	case len(d.spans) == 1 && len(spans) == 1 && d.spans[0].meets(spans[0]):
		d.spans = []span{slices.Concat(d.spans[0], spans[0])}
	default:
		p.clashes[p.at] = true
		return false
	}
	d.said = append(d.said, len(p.understood))
	return true
}

// settle binds the periods to dates, and gives the date that the rows are about. What was
// understood then tells which date each period is about.
func (p *parser) settle(q Query) (topic Field, filters []Filter) {
	p.lead()
	topic = p.usualDate(q)
	told := topic
	for i := range p.datings {
		d := &p.datings[i]
		f, named := p.dateOf(d.field, q)
		if d.field == "" && q.Source == Files && d.isAhead() {
			f = AttributeField("expiration_date") // nothing else is known of what is to come
		}
		told = f
		if len(d.spans) == 0 && d.idle && (d.always || !p.answers(i, f)) {
			if p.signed(d) {
				filters = append(filters, Filter{Field: f, Op: Exists})
				continue
			}
			if !d.soon {
				p.unknown, p.lost = append(p.unknown, d.words), append(p.lost, len(p.tokens))
				continue
			}
			d.spans = []span{soonish()}
			p.understood[d.said[0]].Meaning = "soon: the next 90 days"
		}
		if len(d.spans) == 0 {
			continue
		}
		topic = f
		p.direct(d)
		if s := d.spans[0]; d.ahead && len(d.spans) == 1 && len(s) == 1 && !s.isStart() {
			d.spans = []span{slices.Concat(from("today"), s)}
			p.understood[d.said[0]].Meaning += ", from today on"
		}
		p.tell(d.said, f, named)
		var any []Filter
		for _, s := range d.spans {
			any = append(any, And(s.of(f)...))
		}
		if d.not {
			inner := And(any...)
			if len(any) > 1 {
				inner = Filter{Any: any}
			}
			any = []Filter{{Not: &inner}}
		}
		any = append(any, d.or...)
		if len(any) > 1 {
			filters = append(filters, Filter{Any: any})
		} else {
			filters = append(filters, any[0].Parts()...)
		}
	}
	if len(filters) == 0 || len(p.timed) > 0 {
		topic = told
	}
	p.tell(p.timed, topic, true)
	return topic, filters
}

// signed reports whether contracts are only said to be signed, which is told by their date, and says so.
func (p *parser) signed(d *dating) bool {
	words := strings.Fields(strings.ToLower(d.words))
	if len(p.unknown) > 0 || d.field != AttributeField("agreement_date") || !slices.Contains([]string{"signed", "executed", "countersigned"}, words[len(words)-1]) ||
		slices.Contains(words, "to") || slices.ContainsFunc(p.tokens, func(t token) bool { return negations[t.lower] }) {
		return false
	}
	told := slices.IndexFunc(p.understood, func(u Understood) bool { return strings.HasSuffix(u.Phrase, d.words) })
	if told >= 0 {
		p.understood[told].Meaning = "with " + d.field.label()
	}
	return told >= 0
}

// direct has months and quarters of no year lie ahead where the date does, and what has
// expired not in the days to come.
func (p *parser) direct(d *dating) {
	for i, s := range d.spans {
		switch {
		case !d.behind && s.isYearless() && (d.field == AttributeField("expiration_date") || d.field == MatterDueAt || d.field == AttributeField("effective_date") && !slices.Contains([]string{"", "effective", "started", "began", "commenced", "took effect"}, strings.ToLower(d.words))):
			d.spans[i] = s.coming()
			for _, said := range d.said {
				p.understood[said].Meaning = strings.ReplaceAll(p.understood[said].Meaning, "the latest ", "the coming ")
			}
		case d.behind && (len(s) == 1 && s.isStart() || len(s) == 2 && s[0].Values[0]+"+1" == s[1].Values[0]):
			d.spans[i] = append(slices.Clone(s[:1]), before("today")...)
			p.understood[d.said[0]].Meaning += ", before today"
		}
	}
}

// lead binds a period that came first to a date that was named later without one: "in 2020,
// which contracts did we sign".
func (p *parser) lead() {
	if len(p.datings) < 2 || p.datings[0].field != "" {
		return
	}
	for i := 1; i < len(p.datings); i++ {
		if d := &p.datings[i]; len(d.spans) == 0 {
			d.spans, d.said = p.datings[0].spans, p.datings[0].said
			p.datings = p.datings[1:]
			return
		}
	}
}

// answers reports whether a date that has no period is what is counted by or sorted by.
func (p *parser) answers(i int, f Field) bool {
	last := i == len(p.datings)-1
	return last && (len(p.timed) > 0 || p.recently != "") || slices.Contains(p.groups, f)
}

// dateOf is a date that was named, or the usual one, as for all dates that the rows do not have.
func (p *parser) dateOf(f Field, q Query) (field Field, named bool) {
	if d, _ := Lookup(f); f == "" || (q.Source == Audit || q.Source == Matters) && d.Of != q.Source {
		return p.usualDate(q), q.Source != Files
	}
	return f, true
}

// usualDate is the date that is meant where none is named: that of a contract, if that is
// what the files were called, or the one of the upload.
func (p *parser) usualDate(q Query) Field {
	metric, _ := Lookup(q.Metric.Field)
	switch {
	case q.Source == Audit:
		return OccurredAt
	case q.Source == Matters:
		return MatterCreatedAt
	case p.contracts && (len(p.datings) > 0 || p.recently != "") || metric.Key != "":
		return AttributeField("agreement_date")
	}
	return CreatedAt
}

// tell puts the date before what was understood of its periods.
func (p *parser) tell(said []int, f Field, named bool) {
	for _, i := range said {
		u := &p.understood[i]
		meaning, or := strings.CutPrefix(u.Meaning, "or ")
		if strings.HasPrefix(meaning, f.label()+": ") || meaning == "by "+f.label() { // of a comparison of times, or said already
			continue
		}
		u.Meaning = f.label() + ": " + strings.Replace(meaning, "by "+f.label()+", ", "", 1)
		if or {
			u.Meaning = "or " + u.Meaning
		}
		if !named {
			u.Meaning += `; say "uploaded", "signed", "effective" or "expiring" for another date`
		}
	}
}

// period is for times, and for several that are joined: "in 2019 and in 2020" and "in 2025
// or 2026" are alternatives, "after 2019 and before 2022" is one time.
func (p *parser) period() (string, bool) {
	if n := len(p.datings); (n == 0 || p.datings[n-1].end != p.at) && p.takeAny("as of today", "as at today", "as of now", "as of this moment", "up to now") { // as anything is
		return "", true
	}
	var meaning string
	var spans []span
	bare := len(p.datings) > 0 && p.datings[len(p.datings)-1].end == p.at && p.at > 0 // "dated 3 March 2021"
	joint, ok := p.series(func() bool {
		p.take("either")
		next, s, ok := p.when()
		if !ok && (bare && len(spans) == 0 || len(spans) > 0 && len(spans[0]) == 2) {
			next, s, ok = p.time()
		}
		if ok {
			spans = append(spans, s)
			meaning = strings.TrimPrefix(meaning+" or "+next, " or ")
		}
		return ok
	})
	if !ok {
		return "", false
	}
	if joint != "or" && len(spans) == 2 && spans[0].meets(spans[1]) {
		meaning, spans = strings.Replace(meaning, " or ", " and ", 1), []span{slices.Concat(spans...)}
	}
	open := slices.ContainsFunc(spans, func(s span) bool { return len(s) == 1 })
	if len(spans) > 1 && joint != "or" && open {
		p.clashes[p.at] = true
		return "", false
	}
	return meaning, p.lies(spans...)
}

// time consumes a time with or without what stands before one: "in 2021", "Q1 2026", "March".
func (p *parser) time() (string, span, bool) {
	if said, s, ok := p.when(); ok {
		return said, s, true
	}
	start := p.at
	if first, next, ok := p.between("to", "until", "till", "through"); ok {
		return daysSaid(first, next), within(first, next), true
	}
	p.at = start
	if first, next, ok := p.date(); ok {
		if said, s, ok := p.orOpen(first, next); ok {
			return said, s, true
		}
		return daysSaid(first, next), within(first, next), true
	}
	if y, ok := p.parts("to"); ok { // Jun-Aug
		return "from " + y.said(), y.span(), true
	}
	p.at = start
	if y, ok := p.part(); ok {
		return map[bool]string{true: "on ", false: "in "}[y.months == 1 && y.day == y.last] + y.said(), y.span(), true
	}
	return "", nil, false
}

// bareTime is for a time by itself: "leases Q3 2026", "NDAs 2025". A month in small letters may be
// another word.
func (p *parser) bareTime() (string, bool) {
	if p.at == len(p.tokens) || p.source != "" && p.source != Files || slices.Contains([]string{"may", "march", "mar"}, p.tokens[p.at].word) || p.isPeriod() {
		return "", false
	}
	first := p.at == 0
	said, s, ok := p.time()
	return said, ok && !(first && p.at == len(p.tokens)) && p.lies(s)
}

// remaining is for "with less than a year left", which is until they expire.
func (p *parser) remaining() (string, bool) {
	p.takeAny("that have", "which have", "with", "having", "have", "has")
	p.takeAny("a remaining term of", "a remaining duration of", "remaining term of", "remaining term")
	told := p.at > 0 && slices.Contains([]string{"of", "term"}, p.tokens[p.at-1].lower)
	op, ok := p.comparator()
	n, counted := p.count()
	if !counted && p.takeAny("a", "an") {
		n, counted = 1, true
	}
	b, unit := p.unit()
	if !ok || !counted || !unit || n < 1 || n > 999 || !p.takeAny("left to run", "still to run", "left", "remaining", "to run", "to go", "until expiry", "until they expire", "until it expires", "before expiry", "until the end") && !told {
		return "", false
	}
	p.about(AttributeField("expiration_date"))
	if last := "today+" + length(n, b); op == Above || op == AtLeast {
		return lasting("after the next", n, b), p.lies(span{{Op: op, Values: []string{last}}})
	}
	return lasting("the next", n, b), p.lies(fromTo("today", "today+"+length(n, b)))
}

// pending is for matters that are "open for more than 90 days".
func (p *parser) pending() (string, bool) {
	if p.source != Matters {
		return "", false
	}
	p.takeAny("for", "since")
	return p.aged(MatterCreatedAt, 9999)
}

// aged reads how long ago a date of the rows lies, in at most so many units: "over ten years".
func (p *parser) aged(field Field, most int) (string, bool) {
	op, ok := p.comparator()
	n, counted := p.count()
	if !counted && p.takeAny("a", "an") {
		n, counted = 1, true
	}
	b, unit := p.unit()
	if !ok || !counted || !unit || n < 1 || n > most {
		return "", false
	}
	p.about(field)
	ago := "today-" + length(n, b)
	if op == Above || op == AtLeast {
		return "before " + lasting("", n, b) + " ago", p.lies(before(ago))
	}
	return "since " + lasting("", n, b) + " ago", p.lies(fromTo(ago, "today"))
}

// isPeriod reports whether a period begins here.
func (p *parser) isPeriod() bool {
	start := p.at
	_, _, ok := p.when()
	p.at = start
	return ok
}

// when consumes "last quarter", "in the next 90 days", "in 2021", "before 1 May 2027".
func (p *parser) when() (string, span, bool) {
	switch {
	case p.take("today"):
		return "today", fromTo("today", "today"), true
	case p.take("tomorrow"):
		return "tomorrow", fromTo("today+1d", "today+1d"), true
	case p.past():
		return "before today", before("today"), true
	case p.takeAny("in the future", "in future"):
		return "after today", span{{Op: Above, Values: []string{"today"}}}, true
	case p.take("since monday"): // with which weeks begin
		return "since Monday", from("week"), true
	case p.take("since yesterday"):
		return "since yesterday", from("today-1d"), true
	case p.takeAny("until yesterday", "up to yesterday", "till yesterday", "before today", "until today"):
		if p.tokens[p.at-1].lower == "today" && p.tokens[p.at-2].lower == "until" {
			return "until today", span{{Op: AtMost, Values: []string{"today"}}}, true
		}
		return "before today", before("today"), true
	case p.takeAny("this weekend", "over the weekend", "on the weekend", "at the weekend", "the weekend", "by the weekend", "next weekend", "last weekend"):
		week := "week" + map[string]string{"next": "+1", "last": "-1"}[p.tokens[p.at-2].lower]
		return map[string]string{"next": "on the weekend of next week", "last": "on the weekend of last week"}[p.tokens[p.at-2].lower] + map[bool]string{true: "on the weekend of this week"}[week == "week"], fromTo(week+"+5d", week+"+6d"), p.tokens[max(0, p.at-3)].lower != "by"
	case p.take("yesterday"):
		return "yesterday", fromTo("today-1d", "today-1d"), true
	case p.takeAny("soon", "shortly", "in the near future"):
		return "soon: the next 90 days", soonish(), true
	}
	start := p.at
	for _, rule := range []func() (string, span, bool){p.weekOf, p.ago, p.atEnd, p.weekday, p.ages, p.ending, p.nearby, p.dated, p.yearless} {
		if meaning, s, ok := rule(); ok {
			return meaning, s, !p.reckoned(s)
		}
		p.at = start
	}
	return "", nil, false
}

// weekOf is for "in the week of 10 March 2025", which begins on the Monday before.
func (p *parser) weekOf() (string, span, bool) {
	if !p.takeAny("in the week of", "during the week of", "in the week commencing", "the week of") {
		return "", nil, false
	}
	first, next, ok := p.date()
	day, err := time.Parse(time.DateOnly, first)
	if last, _ := time.Parse(time.DateOnly, next); !ok || err != nil || !last.Equal(day.AddDate(0, 0, 1)) {
		return "", nil, false
	}
	monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	from, to := monday.Format(time.DateOnly), monday.AddDate(0, 0, 7).Format(time.DateOnly)
	return daysSaid(from, to), within(from, to), true
}

// reckoned reports whether a length of time is reckoned from something else than today: "within 30
// days of being signed", "in the last month before expiry".
func (p *parser) reckoned(s span) bool {
	start := p.at
	if !strings.HasPrefix(s[len(s)-1].Values[0], "today") && !strings.HasPrefix(s[0].Values[0], "today") || p.takeAny("of today", "of now") || !p.takeAny("of", "after", "before", "from", "following", "prior to") {
		return false
	}
	p.takeAny("its", "their", "the", "being", "having been", "they were", "it was", "they", "it")
	of := p.isField() || p.topicAhead()
	p.at = start
	return of
}

// topicAhead reports whether it is next what happens on a date.
func (p *parser) topicAhead() bool {
	_, event := events[p.tokens[min(p.at, len(p.tokens)-1)].lower]
	ahead := *p
	for _, c := range topics {
		event = event || ahead.takeOf(c.words)
	}
	return event && p.at < len(p.tokens)
}

// past consumes "in the past", which no number of days follows.
func (p *parser) past() bool {
	start := p.at
	if p.take("in the past") && !p.isUnit() {
		return true
	}
	p.at = start
	return false
}

// weekday is for "last Friday", "since last Monday" and "by next Friday", of the week that is told.
func (p *parser) weekday() (string, span, bool) {
	begun := p.at
	n0 := len(p.datings)
	verb := n0 > 0 && p.datings[n0-1].end == p.at && !p.plural(p.at-1) // "uploaded from last Monday", but "uploads from last Friday"
	since := p.take("since") || verb && p.take("from")
	until := p.takeAny("by", "until", "till", "up to", "no later than", "on or before")
	earlier := p.takeAny("before", "prior to")
	after := p.take("after")
	between := p.take("between")
	on := p.takeAny("on the", "on", "of", "from")
	said := map[string]string{"last": "last week", "this": "this week", "next": "next week"}
	week := map[string]string{"last": "week-1", "this": "week", "next": "week+1"}
	if p.at < len(p.tokens) && slices.Contains(weekdays, p.tokens[p.at].lower) {
		return p.weekdayOfNone(begun, since, until, earlier, after, on, between)
	}
	if p.at+1 >= len(p.tokens) || week[p.tokens[p.at].lower] == "" || after || between {
		return "", nil, false
	}
	which, n := p.tokens[p.at].lower, slices.Index(weekdays, p.tokens[p.at+1].lower)
	if n < 0 {
		return "", nil, false
	}
	p.at += 2
	day := strings.TrimSuffix(fmt.Sprintf("%s+%dd", week[which], n), "+0d")
	named := p.tokens[p.at-1].word + " of " + said[which]
	switch {
	case since:
		return "since the " + named, from(day), true
	case until, earlier:
		s := span{{Op: map[bool]Op{true: AtMost, false: Below}[until], Values: []string{day}}}
		if slices.Contains(coming, p.topic()) && which != "last" { // what is to come begins today
			s = slices.Concat(from("today"), s)
		}
		return map[bool]string{true: "until the ", false: "before the "}[until] + named, s, true
	}
	return "on the " + named, fromTo(day, day), true
}

// weekdayOfNone is for a day of no week, "since Tuesday" and "by Friday": the next one that is not over
// where the date lies ahead, or the last that has begun.
func (p *parser) weekdayOfNone(begun int, since, until, earlier, after, on, between bool) (string, span, bool) {
	n, topic := len(p.datings), p.topic()
	bare := n > 0 && p.datings[n-1].end == p.at
	ahead := slices.Contains(coming, topic) && !(topic == AttributeField("expiration_date") && p.datings[n-1].behind) && !since
	if !since && !on && !between && !bare && topic == "" || begun == p.at && !bare {
		return "", nil, false
	}
	name := p.tokens[p.at].lower
	p.at++
	day, said := name, "the latest "+strings.ToUpper(name[:1])+name[1:]
	if ahead {
		day, said = "next-"+name, "the coming "+strings.ToUpper(name[:1])+name[1:]
	}
	switch {
	case (since || between) && p.takeAny("to today", "until today", "till today", "and today", "and now", "to now", "till now"):
		return "from " + said + " to today", fromTo(day, "today"), !ahead
	case since && p.takeAny("to", "until", "till", "through"), between && p.take("and"):
		last := 0
		if p.at < len(p.tokens) {
			last = slices.Index(weekdays, p.tokens[p.at].lower)
		}
		if last < 0 || p.at == len(p.tokens) {
			return "", nil, false
		}
		p.at++
		if this := p.takeAny("this week", "of this week"); this || p.takeAny("last week", "of last week") {
			first, week := slices.Index(weekdays, name), map[bool]string{true: "week", false: "week-1"}[this]
			said = "from " + strings.ToUpper(name[:1]) + name[1:] + " to " + strings.ToUpper(weekdays[last][:1]) + weekdays[last][1:] + " of " + map[bool]string{true: "this", false: "last"}[this] + " week"
			return said, fromTo(fmt.Sprintf("%s+%dd", week, first), fmt.Sprintf("%s+%dd", week, last)), first < last
		}
		var end string
		if by := (last - slices.Index(weekdays, name) + 7) % 7; ahead {
			end = fmt.Sprintf("%s+%dd", day, by)
		} else { // told from its last day, which has begun
			day, end = fmt.Sprintf("%s-%dd", weekdays[last], by), weekdays[last]
		}
		return "from " + said + " to " + strings.ToUpper(weekdays[last][:1]) + weekdays[last][1:], fromTo(day, end), true
	case since:
		return "since " + said, from(day), true
	case after:
		return "after " + said, span{{Op: Above, Values: []string{day}}}, true
	case until, earlier:
		s := span{{Op: map[bool]Op{true: AtMost, false: Below}[until], Values: []string{day}}}
		if ahead { // what is to come begins today
			s = slices.Concat(from("today"), s)
		}
		return map[bool]string{true: "until ", false: "before "}[until] + said, s, true
	}
	return "on " + said, fromTo(day, day), true
}

// weekdays are the days of a week, of which the first is that with which weeks begin.
var weekdays = strings.Fields("monday tuesday wednesday thursday friday saturday sunday")

// orOpen consumes that a time is open: "2019 or earlier", "2027 or later".
func (p *parser) orOpen(first, next string) (string, span, bool) {
	switch {
	case p.takeAny("or earlier", "or before", "or older", "and earlier", "and before"):
		return "before " + next, before(next), true
	case p.takeAny("or later", "or after", "or newer", "and later", "and after", "and beyond", "and onwards", "onwards", "onward"):
		return "from " + first, from(first), true
	}
	return "", nil, false
}

// ago is for "two years ago": in that year.
func (p *parser) ago() (string, span, bool) {
	n, ok := p.count()
	if !ok && p.takeAny("a", "an", "about a", "around a") {
		n, ok = 1, true
	}
	b, unit := p.unit()
	if !ok || !unit || !p.take("ago") || n < 1 || n > 999 {
		return "", nil, false
	}
	if b == Day {
		return lasting("", n, b) + " ago", fromTo("today-"+length(n, b), "today-"+length(n, b)), true
	}
	first := string(b) + "-" + strconv.Itoa(n)
	return "in the " + string(b) + " " + lasting("", n, b) + " ago", within(first, first+"+"+length(1, b)), true
}

// atEnd is for "at the end of the year" and "end of March": in the last month of it.
func (p *parser) atEnd() (string, span, bool) {
	if p.takeAny("on the last day of", "the last day of", "last day of") {
		next := p.takeAny("next", "the next")
		if !next {
			p.takeAny("the", "this", "the current")
		}
		b, ok := p.unit()
		first, said := string(b)+"+1", "this "+string(b)
		if next {
			first, said = string(b)+"+2", "next "+string(b)
		}
		return "on the last day of " + said, fromTo(first+"-1d", first+"-1d"), ok && b != Day
	}
	if p.takeAny("at the end of", "towards the end of", "at end of", "end of", "late in") {
		if y, ok := p.part(); ok && y.last == 0 {
			y.month, y.months = y.month+time.Month(y.months-1), 1
			return "in the last month of " + y.said(), y.span(), true
		}
		next := p.takeAny("next", "the next")
		if !next {
			p.takeAny("the", "this", "the current")
		}
		if b, ok := p.unit(); ok {
			return p.lastOf(b, next)
		}
	} else if p.takeAny("at", "at the") {
		if b, ok := p.unit(); ok && p.take("end") {
			return p.lastOf(b, false)
		}
	}
	return "", nil, false
}

// lastOf is the last month of a quarter or a year.
func (p *parser) lastOf(b Bucket, next bool) (string, span, bool) {
	first, said := string(b), "this "+string(b)
	if next {
		first, said = first+"+1", "next "+string(b)
	}
	months := map[Bucket]int{Year: 11, Quarter: 2}[b]
	return "in the last month of " + said, within(fmt.Sprintf("%s+%dm", first, months), fmt.Sprintf("%s+%dm", first, months+1)), months > 0
}

// soonish are the days that are meant where something is to happen soon.
func soonish() span { return fromTo("today", "today+90d") }

// nearby is for "this month", "in the next 90 days" and "last year".
func (p *parser) nearby() (string, span, bool) {
	limited := p.takeAny("within the", "within", "over the", "over")
	if !limited {
		p.takeAny("in the", "during the", "for the", "in", "during", "the")
	}
	if p.takeAny("year to date", "ytd", "so far this year") {
		return "this year, until today", fromTo("year", "today"), true
	}
	if both := p.takeAny("this or the next", "this or next", "this and the next", "this and next", "the current or next", "current and next"); both || p.takeAny("last and this", "last or this") {
		b, ok := p.unit()
		if both {
			return "this " + string(b) + " or the next", within(string(b), string(b)+"+2"), ok && b != Day
		}
		return "last " + string(b) + " or this one", within(string(b)+"-1", string(b)+"+1"), ok && b != Day
	}
	if p.takeAny("this", "current") {
		b, ok := p.unit()
		if ok && b != Day && p.takeAny("so far", "to date") {
			return "this " + string(b) + ", until today", fromTo(string(b), "today"), true
		}
		if start := p.at; ok && p.takeAny("or the next one", "and the next one", "or next", "and next", "or the next", "and the next") {
			if !p.isUnit() { // "this year or next"
				return "this " + string(b) + " or the next", within(string(b), string(b)+"+2"), b != Day
			}
			p.at = start
		}
		return "this " + string(b), within(string(b), string(b)+"+1"), ok && b != Day
	}
	at := p.at
	if b, ok := p.unit(); ok && b != Day && p.takeAny("before last", "before the last", "before the last one") {
		return "the " + string(b) + " before last", within(string(b)+"-2", string(b)+"-1"), true
	} else if ok && b != Day && p.takeAny("after next", "after the next") {
		return "the " + string(b) + " after next", within(string(b)+"+2", string(b)+"+3"), true
	}
	p.at = at
	ahead := p.takeAny("next", "coming", "following", "upcoming")
	if !ahead && !p.takeAny("last", "past", "previous") {
		return "", nil, false
	}
	limited = limited || p.tokens[p.at-1].lower == "past"
	n, counted := p.count()
	b, ok := p.unit()
	if !ok && counted && p.takeAny("hours", "hour") && n%24 == 0 { // days are as fine as it is told
		n, b, ok = n/24, Day, true
	}
	if !ok && !counted && p.takeAny("half year", "half-year") {
		n, counted, b, ok = 6, true, Month, true
	}
	if start := p.at; ok && p.take("of") { // "the last quarter of 2026"
		if _, _, dated := p.date(); dated {
			return "", nil, false
		}
		p.at = start
	}
	switch {
	case !ok || counted && (n < 1 || n > 9999):
		return "", nil, false
	case counted && ahead:
		return lasting("the next", n, b), fromTo("today", "today+"+length(n, b)), true
	case counted:
		return lasting("the last", n, b), fromTo("today-"+length(n, b), "today"), true
	case b == Day:
		return "", nil, false
	case ahead && limited:
		return lasting("the next", 1, b), fromTo("today", "today+"+length(1, b)), true
	case limited && !ahead: // up to now
		return lasting("the last", 1, b), fromTo("today-"+length(1, b), "today"), true
	case ahead:
		return "next " + string(b), within(string(b)+"+1", string(b)+"+2"), true
	default:
		return "last " + string(b), within(string(b)+"-1", string(b)), true
	}
}

// dated is for "in 2021", "before 1 May 2027" and "between 2015 and 2018".
func (p *parser) dated() (string, span, bool) {
	starting := func(first string) (string, span, bool) { return "from " + first, from(first), true }
	lasting := func(first, next string) (string, span, bool) {
		return daysSaid(first, next), within(first, next), true
	}
	switch {
	case p.takeAny("not before", "no earlier than", "not earlier than", "on or after", "as of"):
		if first, _, ok := p.date(); ok {
			return starting(first)
		}
	case p.takeAny("not after", "no later than", "not later than", "on or before", "up to"):
		if _, next, ok := p.date(); ok {
			return "before " + next, before(next), true
		}
	case p.yearOfRows():
		first, next, ok := p.date()
		meaning, s, _ := lasting(first, next)
		return meaning, s, ok
	case p.takeAny("in the year", "in the", "in", "for the year", "for", "during the", "during", "of the", "of", "on"):
		if first, next, ok := p.date(); ok {
			if said, s, ok := p.orOpen(first, next); ok {
				return said, s, true
			}
			return lasting(first, next)
		}
	case p.takeAny("since before", "before", "until", "prior to", "earlier than"):
		if first, _, ok := p.date(); ok {
			return "before " + first, before(first), true
		}
	case p.takeAny("after the end of", "after", "later than", "past", "beyond"):
		if _, next, ok := p.date(); ok {
			return starting(next)
		}
	case p.takeAny("since", "from"):
		word, start := p.tokens[p.at-1].lower, p.at
		if first, next, ok := p.between("to", "until", "till", "through"); ok {
			return lasting(first, next)
		}
		p.at = start
		if word == "since" {
			p.takeAny("the beginning of", "the start of")
			if _, s, ok := p.nearby(); ok && len(s) == 2 {
				return "since " + s[0].Values[0], s[:1], true
			}
			from := p.at
			p.take("the")
			if b, ok := p.unit(); ok && b != Day && from > start {
				return "since the beginning of this " + string(b), span{{Op: AtLeast, Values: []string{string(b)}}}, true
			}
			p.at = from
		}
		if first, next, ok := p.date(); ok {
			if said, s, ok := p.orOpen(first, next); ok {
				return said, s, true
			}
			day, _ := time.Parse(time.DateOnly, first) // just written
			if onwards := p.takeAny("onwards", "onward", "on", "and later"); onwards || word == "since" || day.AddDate(0, 0, 1).Format(time.DateOnly) == next {
				return starting(first)
			}
			return lasting(first, next)
		}
	case p.takeAny("between today and", "between now and", "from today until", "from today to", "from now until", "from now to", "from now till"):
		start := p.at
		if last, said, ok := p.endOf(); ok {
			return "from today to " + said, within("today", last), true
		}
		p.at = start
		p.takeAny("the end of", "end of")
		if y, ok := p.part(); ok && y.year == "" && y.fixed == 0 && y.last == 0 { // "the end of Q1"
			y.month, y.months, y.coming = y.month+time.Month(y.months-1), 1, true
			return "from today to the end of " + y.said(), within("today", y.next()), true
		}
	case p.take("between"):
		if first, next, ok := p.between("and"); ok {
			return lasting(first, next)
		}
	}
	return "", nil, false
}

// daysSaid says the days from a first one to the one before the next.
func daysSaid(first, next string) string {
	from, _ := time.Parse(time.DateOnly, first) // just written
	to, _ := time.Parse(time.DateOnly, next)
	switch {
	case from.AddDate(0, 0, 1).Equal(to):
		return "on " + first
	case from.YearDay() == 1 && from.AddDate(1, 0, 0).Equal(to):
		return "in " + strconv.Itoa(from.Year())
	}
	return "from " + first + " to " + to.AddDate(0, 0, -1).Format(time.DateOnly)
}

// yearPart is a month or more of a year that nobody has told, or days of it: March, Q3, 1 July. The
// year may be told from this one.
type yearPart struct {
	month  time.Month // the first
	months int
	day    int // from which on, 1 for the first
	last   int // day of the last month, 0 for all of it
	year   Bucket
	fixed  int  // the year as a number, 0 where it is not told
	coming bool // that which is not over was asked for
	name   string
}

func (y yearPart) said() string {
	switch {
	case y.year != "":
		return y.name + " of " + yearsSaid[y.year]
	case y.fixed != 0:
		return y.name + " " + strconv.Itoa(y.fixed)
	case y.coming:
		return "the coming " + y.name
	}
	return "the latest " + y.name
}

var yearsSaid = map[Bucket]string{"year-1": "last year", "year": "this year", "year+1": "next year"}

// at is a day of the part, so many months behind its first month.
func (y yearPart) at(months, days int) string {
	text, ranged := strings.ToLower(y.month.String()), y.months > 1 && y.day+y.last > 1
	switch {
	case y.fixed != 0:
		return time.Date(y.fixed, y.month+time.Month(months), 1+days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	case y.year != "":
		text, months = string(y.year), months+int(y.month)-1
	case y.coming:
		text = "next-" + text
	}
	if months != 0 || ranged && days != 0 && y.year == "" { // the days are those of the month
		text += fmt.Sprintf("+%dm", months)
	}
	if days != 0 {
		text += fmt.Sprintf("+%dd", days)
	}
	return text
}

func (y yearPart) first() string { return y.at(0, y.day-1) }

func (y yearPart) next() string {
	if y.last > 0 {
		return y.at(y.months-1, y.last)
	}
	return y.at(y.months, 0)
}

// span is the time of the part. That of one day has the same day at its ends.
func (y yearPart) span() span {
	if y.months == 1 && y.day == y.last {
		return fromTo(y.first(), y.first())
	}
	return within(y.first(), y.next())
}

// monthNames are the months as questions have them, January first.
var monthNames = strings.Fields("january february march april may june july august september october november december")

var wordedPart = regexp.MustCompile(`(?i)^(first|second|third|fourth) (quarter|half)$`)

var shortPart = regexp.MustCompile(`^(?:(q)([1-4])|(h)([12]))$`)

// part consumes a month, a quarter or a half of no year, or a day of a month, with the year where
// that is told from this one.
func (p *parser) part() (yearPart, bool) {
	y, ok := p.yearPart()
	if !ok {
		return y, false
	}
	start := p.at
	p.takeAny(",", "of", "in")
	for _, year := range []struct {
		of    Bucket
		words []string
	}{{"year+1", []string{"next year", "the coming year", "the following year"}}, {"year-1", []string{"last year", "the previous year", "the past year"}}, {"year", []string{"this year", "the current year"}}} {
		if p.takeAny(year.words...) {
			y.year = year.of
			return y, true
		}
	}
	if p.at = start; p.joint() != "" { // "Q1 or Q2 next year" are of one year
		if first, _, dated := p.date(); dated {
			year, _ := strconv.Atoi(p.tokens[p.at-1].lower)
			if at, _ := time.Parse(time.DateOnly, first); at.Year() == year && at.Month() > y.month { // just written
				y.fixed = year
			}
		} else if last, ok := p.part(); ok && last.month > y.month {
			y.year, y.fixed = last.year, last.fixed
		}
	}
	p.at = start
	return y, true
}

var dayOfMonth = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)?$`)

// day consumes the day of a month, 0 where there is none.
func (p *parser) day() int {
	if p.at == len(p.tokens) || p.tokens[p.at].quoted {
		return 0
	}
	m := dayOfMonth.FindStringSubmatch(p.tokens[p.at].lower)
	if m == nil {
		return 0
	}
	p.at++
	n, _ := strconv.Atoi(m[1]) // digits
	return n
}

// holidays are days that people name instead of their dates.
var holidays = []struct {
	names []string
	month time.Month
	day   int
}{
	{[]string{"christmas day", "christmas", "xmas"}, time.December, 25}, {[]string{"christmas eve", "xmas eve"}, time.December, 24},
	{[]string{"new year's eve", "new years eve", "new year eve"}, time.December, 31}, {[]string{"new year's day", "new year's", "new years day", "new years", "the new year", "new year"}, time.January, 1},
}

func (p *parser) yearPart() (yearPart, bool) {
	if p.at == len(p.tokens) || p.tokens[p.at].quoted {
		return yearPart{}, false
	}
	word, begun := p.tokens[p.at].lower, p.at
	if m := shortPart.FindStringSubmatch(word); m != nil {
		p.at++
		months, n, ok := partOf(append(m, "", "", ""))
		return yearPart{month: time.Month(n*months + 1), months: months, day: 1, name: strings.ToUpper(word)}, ok
	}
	for _, h := range holidays {
		if p.takeAny(h.names...) {
			return yearPart{month: h.month, months: 1, day: h.day, last: h.day, name: strconv.Itoa(h.day) + " " + h.month.String()}, true
		}
	}
	if slices.Contains([]string{"first", "second", "third", "fourth"}, word) && p.at+1 < len(p.tokens) {
		if m := wordedPart.FindStringSubmatch(p.words(p.at, p.at+2)); m != nil {
			months, n, ok := partOf([]string{"", "", "", "", "", m[1], m[2]})
			p.at += 2
			return yearPart{month: time.Month(n*months + 1), months: months, day: 1, name: strings.ToLower(m[0])}, ok
		}
	}
	if n := slices.Index([]string{"first", "second", "third", "fourth"}, word); n >= 0 {
		p.at++
		if p.takeAny("week of", "week in") {
			month, ok := p.month()
			return yearPart{month: month, months: 1, day: 7*n + 1, last: 7*n + 7, name: word + " week of " + month.String()}, ok
		}
		return yearPart{}, false
	}
	this, coming := p.take("this"), false
	if !this { // "next January"
		coming = p.takeAny("next", "the next", "the coming", "coming", "this coming")
		if !coming {
			p.takeAny("last", "the last", "this past", "the past", "past")
		}
	}
	named := p.at
	if month, ok := p.month(); ok && named > 0 && slices.Contains([]string{"this", "next", "coming", "last", "past"}, p.tokens[named-1].lower) {
		y := yearPart{month: month, months: 1, day: 1, coming: coming, name: month.String()}
		if this {
			y.year = Year
		}
		return y, true
	}
	p.at = begun
	day := p.day()
	if day > 0 {
		p.take("of")
	}
	month, ok := p.month()
	if ok && day == 0 {
		day = p.day()
	}
	switch {
	case !ok || day > 31:
		return yearPart{}, false
	case day == 0:
		return yearPart{month: month, months: 1, day: 1, name: month.String()}, true
	}
	return yearPart{month: month, months: 1, day: day, last: day, name: strconv.Itoa(day) + " " + month.String()}, true
}

// month consumes the name of a month.
func (p *parser) month() (time.Month, bool) {
	if p.at == len(p.tokens) || p.tokens[p.at].quoted {
		return 0, false
	}
	word := strings.TrimSuffix(p.tokens[p.at].lower, ".")
	for month := time.January; month <= time.December; month++ {
		if name := monthNames[month-1]; word == name || len(word) >= 3 && (word == name[:3] || word == name[:min(4, len(name))]) {
			p.at++
			return month, true
		}
	}
	return 0, false
}

// parts consumes the first and the last part of a time: "from January to March", "between 1 July
// and 30 September". The last is of the same year, or of the one after it.
func (p *parser) parts(joints ...string) (yearPart, bool) {
	start, day := p.at, 0
	first, ok := p.part()
	if !ok { // "between 1 and 15 March"
		p.at = start
		day = p.day()
	}
	if !ok && day == 0 || !p.takeAny(joints...) {
		return yearPart{}, false
	}
	last, ok := p.part()
	if day > 0 {
		first = last
		first.day, first.name = day, strconv.Itoa(day)
		ok = ok && last.last > 0
	}
	if !ok || first.year != "" && first.year != last.year {
		return yearPart{}, false
	}
	y := yearPart{month: first.month, day: first.day, last: last.last, year: last.year, name: first.name + " to " + last.name}
	y.months = (int(last.month)-int(first.month)+12)%12 + last.months
	if y.year != "" && last.month < first.month || y.months == 1 && last.last > 0 && last.last < first.day {
		return yearPart{}, false
	}
	return y, true
}

// yearless is for "since January", "in March" and "until December": the last such month that
// has begun, or the one to come where the date lies ahead.
func (p *parser) yearless() (string, span, bool) {
	start := p.at
	switch {
	case p.takeAny("since the end of", "after the end of", "after", "later than", "past", "beyond"):
		if y, ok := p.part(); ok {
			return "after " + y.said(), from(y.next()), true
		}
	case p.takeAny("since the beginning of", "since the start of", "since", "as of", "on or after", "no earlier than", "not before"):
		if y, ok := p.part(); ok && (p.topic() != AttributeField("expiration_date") || p.datings[len(p.datings)-1].behind) {
			return "since " + y.said(), from(y.first()), true
		}
	case p.takeAny("by the end of", "before the end of", "until the end of", "by", "up to", "no later than", "on or before", "not after"):
		p.take("the")
		if y, ok := p.part(); ok {
			return "until the end of " + y.said(), before(y.next()), true
		}
	case p.takeAny("before", "until", "till", "prior to", "earlier than"):
		p.takeAny("the beginning of", "the start of")
		if y, ok := p.part(); ok {
			return "before " + y.said(), before(y.first()), true
		}
	case p.takeAny("between", "from the", "from"):
		if y, ok := p.parts("and", "to", "until", "till", "through"); ok {
			return "from " + y.said(), y.span(), true
		}
	}
	p.at = start
	return p.duringPart()
}

// duringPart is for "in March", "on 1 July" and "from March onwards".
func (p *parser) duringPart() (string, span, bool) {
	if p.at < len(p.tokens) && slices.Contains([]string{"this", "next", "last", "coming"}, p.tokens[p.at].lower) { // "signed last March"
		if y, ok := p.part(); ok && y.last == 0 {
			return "in " + y.said(), y.span(), true
		}
		return "", nil, false
	}
	if !p.takeAny("in the month of", "during the month of", "in the", "during the", "in", "during", "throughout", "from", "for", "on the", "on") {
		return "", nil, false
	}
	word := strings.TrimSuffix(p.tokens[p.at-1].lower, " the")
	y, ok := p.part()
	switch {
	case !ok || (word == "on") != (y.last > 0) && word != "from":
		return "", nil, false
	case p.takeAny("onwards", "onward", "on") || word == "from" && y.last > 0:
		return "since " + y.said(), from(y.first()), true
	case y.last > 0:
		return "on " + y.said(), y.span(), true
	}
	return "in " + y.said(), y.span(), true
}

// yearlessDate is a bound of a month of no year: the months behind it, and the days.
var yearlessDate = regexp.MustCompile(`^([a-z]+)(?:\+(\d+)m)?((?:\+\d+d)?)$`)

// isYearless reports whether a time is that of a month of no year.
func (s span) isYearless() bool {
	m := yearlessDate.FindStringSubmatch(s[0].Values[0])
	if m == nil {
		return false
	}
	_, err := time.Parse("January", m[1])
	return err == nil
}

// coming is the time of a month of no year that is not over, from today on. It is told from its
// last month, which is the one that is not over.
func (s span) coming() span {
	end := yearlessDate.FindStringSubmatch(s[len(s)-1].Values[0])
	last, _ := strconv.Atoi(end[2])
	if end[3] == "" { // the first day behind it
		last = max(0, last-1)
	}
	list := slices.Clone(s)
	for i, f := range s {
		m := yearlessDate.FindStringSubmatch(f.Values[0])
		at, _ := time.Parse("January", m[1])
		after, _ := strconv.Atoi(m[2])
		value := "next-" + strings.ToLower(at.AddDate(0, last, 0).Month().String())
		if n := after - last; n != 0 || m[2] != "" && m[3] != "" {
			value += fmt.Sprintf("%+dm", n)
		}
		list[i].Values = []string{value + m[3]}
	}
	if len(list) == 1 && !list.isStart() {
		return slices.Concat(from("today"), list)
	}
	return list
}

// yearOfRows reports whether a year is next, and what it says of files: "2020 contracts".
func (p *parser) yearOfRows() bool {
	if p.at+1 >= len(p.tokens) || len(p.tokens[p.at].lower) != len("2020") {
		return false
	}
	before := p.at
	defer func() { p.at = before }()
	_, _, ok := parseDate(p.tokens[p.at].word)
	p.at++
	return ok && p.rowsFollow()
}

// The dates that lie ahead where nothing else is said, and those that are past.
var (
	coming = []Field{AttributeField("expiration_date"), AttributeField("effective_date"), MatterDueAt}
	past   = []Field{AttributeField("agreement_date"), CreatedAt, UpdatedAt}
)

// ages is for what is counted from today: "within 90 days", "older than 5 years", "more
// than 3 years ago", "in under 90 days". It is ahead for what is to come.
func (p *parser) ages() (string, span, bool) {
	in := p.takeAny("within the", "within", "in")
	if said, s, ok := p.daysApart(); ok {
		return said, s, true
	}
	old := p.takeAny("older than", "older")
	young := !old && p.takeAny("newer than", "younger than")
	n0 := len(p.datings)
	behind := n0 > 0 && p.datings[n0-1].end == p.at // "expiry < 6 months"
	more := old || p.takeAny("more than", "over") || behind && p.takeAny(">", ">=")
	less := young || p.takeAny("less than", "under", "fewer than") || behind && p.takeAny("<", "<=")
	if !in && !more && !less && !(p.loose && behind) { // "expiring 6 months"
		return "", nil, false
	}
	if first, next, dated := p.date(); dated && (old || young) { // older than 2015
		if old {
			return "before " + first, before(first), true
		}
		return "from " + next, from(next), true
	}
	n, ok := p.count()
	if !ok && p.takeAny("a", "an") { // more than a year ago
		n, ok = 1, true
	}
	if !ok || n < 1 || n > 9999 {
		return "", nil, false
	}
	b, ok := p.unit()
	if !ok {
		return "", nil, false
	}
	ago := p.takeAny("ago", "old") || old || young
	if p.takeAny("from now", "from today") && !in && !more && !less { // that day
		return "", nil, false
	}
	span, topic := length(n, b), p.topic()
	switch {
	case more && ago:
		return "before " + lasting("", n, b) + " ago", before("today-" + span), true
	case less && ago:
		return "since " + lasting("", n, b) + " ago", from("today-" + span), true
	case ago:
		return "", nil, false
	case more && slices.Contains(coming, topic):
		return lasting("after the next", n, b), []Filter{{Op: Above, Values: []string{"today+" + span}}}, true
	case !more && slices.Contains(coming, topic):
		return lasting("the next", n, b), fromTo("today", "today+"+span), true
	case !more && slices.Contains(past, topic):
		return lasting("the last", n, b), fromTo("today-"+span, "today"), true
	}
	return "", nil, false
}

// daysApart is for "in 90 to 120 days", "between 30 and 60 days ago" and "in exactly 30 days".
func (p *parser) daysApart() (string, span, bool) {
	start, exactly := p.at, p.takeAny("exactly", "precisely")
	p.takeAny("between", "from", "the next", "next", "the coming")
	least, ok := p.count()
	most := least
	if b, _ := p.unit(); ok && !exactly { // "between 30 days and 60 days"
		ok = b != Quarter && p.takeAny("and", "to", "until")
		more, counted := p.count()
		most, ok = more, ok && counted
	} else if exactly {
		p.at--
	}
	b, unit := p.unit()
	if !ok || !unit || least < 1 || most < least || most > 9999 || exactly && p.topic() == "" {
		p.at = start
		return "", nil, false
	}
	said := lasting(strings.TrimSuffix(strconv.Itoa(least)+" to ", strconv.Itoa(most)+" to "), most, b)
	if p.takeAny("ago", "in the past") {
		return said + " ago", fromTo("today-"+length(most, b), "today-"+length(least, b)), true
	}
	return "in " + said, fromTo("today+"+length(least, b), "today+"+length(most, b)), p.takeAny("from now", "from today") || slices.Contains(coming, p.topic())
}

// ending is for "by the end of the year", "before the end of next quarter" and "by March
// 2026". What is to come then begins today.
func (p *parser) ending() (string, span, bool) {
	by := p.take("by")
	n := len(p.datings)
	if bare := n > 0 && p.datings[n-1].end == p.at && p.isUnitEnd(); !by && !bare && !p.takeAny("before", "until", "till") { // "ending year end"
		return "", nil, false
	}
	if !p.takeAny("the end of", "end of") && !by && !p.isUnitEnd() {
		return "", nil, false
	}
	last, said, ok := p.endOf()
	if !ok {
		return "", nil, false
	}
	if topic := p.topic(); (topic == AttributeField("expiration_date") || topic == MatterDueAt) && !p.datings[len(p.datings)-1].behind {
		return "from today to " + said, within("today", last), true
	}
	return "until " + said, before(last), true
}

// isUnitEnd reports whether "year end" is next.
func (p *parser) isUnitEnd() bool {
	return p.at+1 < len(p.tokens) && units[p.tokens[p.at].lower] != "" && p.tokens[p.at+1].lower == "end"
}

// endOf consumes a time, and gives what comes after it: "the end of next quarter", "March 2026".
func (p *parser) endOf() (last, said string, ok bool) {
	p.takeAny("the end of", "end of")
	ahead := p.takeAny("next", "the next")
	if !ahead {
		p.takeAny("the", "this", "the current")
	}
	if b, ok := p.unit(); ok && b != Day && (p.take("end") || p.tokens[p.at-2].lower != "by") {
		if ahead {
			return string(b) + "+2", "the end of the next " + string(b), true
		}
		return string(b) + "+1", "the end of this " + string(b), true
	}
	_, next, ok := p.date()
	return next, "before " + next, ok && !ahead
}

// between consumes two dates with a word between them, and gives the first day
// and the first after the last. January is of the same year as March 2026 in
// "between January and March 2026", and November of the one before.
func (p *parser) between(joints ...string) (first, next string, ok bool) {
	start := p.at
	first, _, dated := p.date()
	for !dated && p.at < len(p.tokens) && !slices.Contains(joints, p.tokens[p.at].lower) {
		p.at++
	}
	words := p.words(start, p.at)
	if !p.takeAny(joints...) {
		return "", "", false
	}
	_, next, ok = p.date()
	if ok && !dated && p.at > start+2 && dayOfMonth.MatchString(words) { // between 1 and 15 March 2027
		first, _, ok = parseDate(words + " " + p.words(p.at-2, p.at))
		return first, next, ok && first < next
	}
	if ok && !dated {
		year := p.tokens[p.at-1].word
		if first, _, ok = parseDate(words + " " + year); ok && first >= next {
			n, _ := strconv.Atoi(year) // parsed with the date
			first, _, ok = parseDate(words + " " + strconv.Itoa(n-1))
		}
	}
	return first, next, ok && first < next
}

func lasting(which string, n int, b Bucket) string {
	return strings.TrimSpace(which + " " + strconv.Itoa(n) + " " + string(b) + "s")
}

// length is n units as relative dates have them.
func length(n int, b Bucket) string {
	if b == Quarter {
		return strconv.Itoa(3*n) + "m"
	}
	return strconv.Itoa(n) + string(b)[:1]
}

// dateForms are the ways to write a day, a month and a year, with how long that
// lasts.
var dateForms = []struct {
	layout              string
	years, months, days int
}{
	{"2006-01-02", 0, 0, 1}, {"January 2, 2006", 0, 0, 1}, {"January 2 2006", 0, 0, 1}, {"2 January 2006", 0, 0, 1}, {"Jan 2, 2006", 0, 0, 1}, {"2 Jan 2006", 0, 0, 1},
	{"2.1.2006", 0, 0, 1}, {"2006-1-2", 0, 0, 1},
	{"January 2006", 0, 1, 0}, {"Jan 2006", 0, 1, 0}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0},
}

// date consumes a date, and gives its first day and the first after it.
func (p *parser) date() (first, next string, ok bool) {
	start := p.at
	p.takeAny("the year", "the")
	for _, h := range holidays { // Christmas 2024
		at := p.at
		if p.takeAny(h.names...) && p.at < len(p.tokens) {
			if first, next, ok = parseDate(fmt.Sprintf("%d %s %s", h.day, h.month, p.tokens[p.at].word)); ok {
				p.at++
				return first, next, true
			}
		}
		p.at = at
	}
	for length := min(4, len(p.tokens)-p.at); length > 0; length-- {
		if first, next, ok = parseDate(p.words(p.at, p.at+length)); ok {
			p.at += length
			return first, next, true
		}
	}
	p.at = start
	return "", "", false
}

// words are tokens with single spaces, as dates have them.
func (p *parser) words(from, to int) string {
	words := make([]string, to-from)
	for i, t := range p.tokens[from:to] {
		words[i] = t.word
	}
	return strings.ReplaceAll(strings.Join(words, " "), " , ", ", ")
}

// partWord is a quarter or a half of a year: Q1 2027, the second half of 2027.
var partWord = regexp.MustCompile(`(?i)^(?:(q)([1-4])|(h)([12])|(first|second|third|fourth|last) (quarter|half))(?: of)?[ /-]?['’]?(\d{4}|\d{2})$`)

// partOf is a part of a year: how many months it has, and which of its kind it is.
func partOf(m []string) (months, n int, ok bool) {
	months = 3
	if m[3] != "" || strings.EqualFold(m[6], "half") {
		months = 6
	}
	switch digit := m[2] + m[4]; {
	case digit != "":
		n = int(digit[0] - '1')
	case strings.EqualFold(m[5], "last"):
		n = 12/months - 1
	default:
		n = slices.Index([]string{"first", "second", "third", "fourth"}, strings.ToLower(m[5]))
	}
	return months, n, (n+1)*months <= 12
}

// decadeWord is a decade as people write it: 1990s.
var decadeWord = regexp.MustCompile(`^(19\d|20\d)0'?s$`)

// yearsWord are years as people write them: 2020-2022.
var yearsWord = regexp.MustCompile(`^(\d{4})[-–/](\d{4})$`)

// nextDecade is the year in which the decade after one begins, of which the first three
// digits are told.
func nextDecade(digits string) string {
	n, _ := strconv.Atoi(digits) // digits
	return strconv.Itoa(10 * (n + 1))
}

// shortYear is the year of "Jan '25".
var shortYear = regexp.MustCompile(`['’](\d{2})$`)

// ordinal is a day as 1st, and slashed one as 31/12/2026 or 12/31/2026.
var (
	ordinal = regexp.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th)\b`)
	slashed = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})/(\d{4})$`)
)

func parseDate(text string) (first, next string, ok bool) {
	if m := partWord.FindStringSubmatch(text); m != nil {
		months, n, part := partOf(m)
		if len(m[7]) == len("24") { // Q3 24
			m[7], part = "20"+m[7], part && m[6] == ""
		}
		if first, _, ok = parseDate(m[7]); !ok || !part {
			return "", "", false
		}
		at, _ := time.Parse(time.DateOnly, first) // just written
		at = at.AddDate(0, n*months, 0)
		return at.Format(time.DateOnly), at.AddDate(0, months, 0).Format(time.DateOnly), true
	}
	if m := yearsWord.FindStringSubmatch(text); m != nil && m[1] < m[2] {
		first, _, _ = parseDate(m[1])
		_, next, ok = parseDate(m[2])
		return first, next, ok && first != ""
	}
	if m := decadeWord.FindStringSubmatch(text); m != nil {
		return m[1] + "0-01-01", nextDecade(m[1]) + "-01-01", true
	}
	if !strings.ContainsAny(text, "0123456789") {
		return "", "", false // most words
	}
	text = strings.Replace(ordinal.ReplaceAllString(text, "$1"), " of ", " ", 1)
	text = strings.Replace(strings.Replace(shortYear.ReplaceAllString(text, "20$1"), "Sept ", "Sep ", 1), "sept ", "sep ", 1)
	if m := slashed.FindStringSubmatch(text); m != nil {
		if one, _ := strconv.Atoi(m[1]); one > 12 {
			m[1], m[2] = m[2], m[1]
		} else if two, _ := strconv.Atoi(m[2]); two <= 12 && two != one {
			return "", "", false // of which month?
		}
		text = m[3] + "-" + m[1] + "-" + m[2]
	}
	for _, form := range dateForms {
		at, err := time.Parse(form.layout, text)
		if err == nil && at.Year() >= 1900 && at.Year() <= 2200 {
			return at.Format(time.DateOnly), at.AddDate(form.years, form.months, form.days).Format(time.DateOnly), true
		}
	}
	return "", "", false
}
