package e2e_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// samples are some of the analysed files, all types among them and some of none.
func (c *corpus) samples(most int) []*fileRow {
	analyzed := c.rows.which(func(f *fileRow) bool { return f.Analyzed && len(f.nodes) > 0 })
	var list []*fileRow
	for i := range min(most, len(analyzed)) {
		list = append(list, analyzed[i*len(analyzed)/min(most, len(analyzed))])
	}
	return list
}

// eachSample is how many files are looked at from their own place.
const eachSample = 40

// around are the analysed files that one is compared with, itself included.
func (c *corpus) around(f *fileRow, typeID *string) ([]*fileRow, api.Comparison) {
	list := c.rows.which(func(o *fileRow) bool { return o.Analyzed && (o == f || typeID == nil || o.is(*typeID)) })
	comparison := api.Comparison{Scope: "documentType", DocumentTypeID: typeID, Files: len(list)}
	if typeID == nil {
		comparison.Scope = "team"
	}
	return list, comparison
}

func (c *corpus) radar() {
	for _, f := range c.samples(eachSample) {
		files, comparison := c.around(f, f.TypeID)
		var got api.Radar
		c.get(&got, "/api/files/{fileId}/radar?copies=true", f.ID)
		c.agree(f.Name, api.Radar{FileID: f.ID, Compared: comparison, Axes: c.axes(f, files)}, got)
	}
}

// axes are how fully a file covers each family, beside others: by the number of
// files that have the nodes which it has.
func (c *corpus) axes(f *fileRow, files []*fileRow) []api.Axis {
	n := spread(files)
	names := []string{}
	for _, family := range nlp.Families() {
		names = append(names, family.Name)
	}
	for _, label := range byFrequency(n) {
		if family := c.rows.families[label]; !slices.Contains(names, family) {
			names = append(names, family)
		}
	}
	axes := []api.Axis{}
	for _, family := range names {
		axis := api.Axis{Node: family, Label: family, Nodes: []api.AxisNode{}}
		if family == "" {
			axis.Label = "Other"
		}
		all := 0.0
		for _, label := range byFrequency(n) {
			if c.rows.families[label] != family {
				continue
			}
			all += float64(n[label])
			own := 0
			if node := f.nodes[label]; node != nil {
				own = node.sentences
			}
			axis.Nodes = append(axis.Nodes, api.AxisNode{Node: label, Label: c.rows.names[label], Sentences: own, Frequency: float64(n[label]) / float64(len(files))})
		}
		coverage := func(f *fileRow) float64 {
			sum := 0.0
			for label := range f.nodes {
				if c.rows.families[label] == family {
					sum += float64(n[label])
				}
			}
			return sum / max(all, 1)
		}
		var values []float64
		for _, o := range files {
			values = append(values, coverage(o))
		}
		axis.Value, axis.CorpusMean = coverage(f), mean(values)
		axis.CorpusP10, axis.CorpusP90 = quantile(values, 0.1), quantile(values, 0.9)
		axis.Typical = axis.CorpusP10-1e-9 <= axis.Value && axis.Value <= axis.CorpusP90+1e-9
		axes = append(axes, axis)
	}
	return axes
}

// byFrequency are nodes, those of most files first.
func byFrequency(n map[string]int) []string {
	labels := []string{}
	for label := range n {
		labels = append(labels, label)
	}
	return sorted(labels, func(label string) string { return fmt.Sprintf("%09d %s", 1e9-n[label]-1, label) })
}

// alike are the files that share a node with one, by id: how alike they are by
// the rarity of what both have.
func alike(f *fileRow, files []*fileRow) map[string]api.AlikeFile {
	n := spread(files)
	rarity := func(label string) float64 { return math.Log2(1 + float64(len(files))/float64(n[label])) }
	out := map[string]api.AlikeFile{}
	for _, o := range files {
		if o == f {
			continue
		}
		a := api.AlikeFile{
			FileID: o.ID, Name: o.Name, LifecycleStage: db.LifecycleStage(o.Stage), DocumentTypeID: o.TypeID,
			SharedNodes: []string{}, MissingNodes: []string{}, ExtraNodes: []string{},
		}
		shared, all := 0.0, 0.0
		for label := range n {
			switch mine, theirs := f.nodes[label] != nil, o.nodes[label] != nil; {
			case mine && theirs:
				a.SharedNodes = append(a.SharedNodes, label)
				shared += rarity(label)
				all += rarity(label)
			case theirs:
				a.MissingNodes = append(a.MissingNodes, label)
				all += rarity(label)
			case mine:
				a.ExtraNodes = append(a.ExtraNodes, label)
				all += rarity(label)
			}
		}
		if shared > 0 {
			a.Score = shared / all
			for _, list := range [][]string{a.SharedNodes, a.MissingNodes, a.ExtraNodes} {
				slices.Sort(list)
			}
			out[o.ID] = a
		}
	}
	return out
}

// requireAlike compares a ranking. Those of one score share their rank.
func (c *corpus) requireAlike(where string, want map[string]api.AlikeFile, got []api.AlikeFile, limit int) {
	c.t.Helper()
	const same = 1e-8
	for id, a := range want {
		a.Rank = 1
		for _, o := range want {
			if o.Score > a.Score+same {
				a.Rank++
			}
		}
		want[id] = a
	}
	agreeTop(c, where, want, got, limit, func(a api.AlikeFile) string { return a.FileID }, func(a api.AlikeFile) float64 { return a.Score })
}

func (c *corpus) scoreboard() {
	for i, f := range c.samples(eachSample) {
		files, comparison := c.around(f, f.TypeID)
		limit := []int{500, 5}[i%2]
		var got api.Scoreboard
		c.get(&got, fmt.Sprintf("/api/files/{fileId}/scoreboard?copies=true&limit=%d", limit), f.ID)
		c.agree(f.Name, []any{f.ID, comparison}, []any{got.FileID, got.Compared})
		c.requireAlike(f.Name, alike(f, files), got.Items, limit)
	}
}

func (c *corpus) scoreboardCount() {
	scorable := func(files []*fileRow) (out api.ScorableFiles) {
		for _, f := range files {
			if len(f.nodes) > 0 {
				out.Count++
			}
		}
		return out
	}
	var got api.ScorableFiles
	c.get(&got, "/api/files/scoreboard-files/count")
	c.agree("team", scorable(c.rows.files), got)
	for _, t := range c.rows.types {
		c.get(&got, "/api/files/scoreboard-files/count?documentTypeId="+t.ID)
		c.agree(t.Name, scorable(c.rows.ofType(t.ID)), got)
	}
}

func (c *corpus) cohort() {
	for i, f := range c.samples(eachSample) {
		typeID, limit := f.TypeID, 500
		body := map[string]any{"copies": true, "limit": limit}
		if i%3 == 1 { // among others
			typeID = &c.rows.types[i%len(c.rows.types)].ID
			body["documentTypeId"] = *typeID
		}
		files, comparison := c.around(f, typeID)
		var got api.Cohort
		c.post(body, &got, "/api/files/{fileId}/document-types/cohort", f.ID)
		c.agree(f.Name, []any{f.ID, comparison, len(got.Items)}, []any{got.FileID, got.Compared, got.Size})
		c.requireAlike(f.Name, alike(f, files), got.Items, limit)

		var members []*fileRow
		for _, a := range got.Items {
			members = append(members, c.rows.byID[a.FileID])
		}
		var distributions []db.Distribution
		all := sayings(members)
		for _, d := range got.Distributions {
			distributions = append(distributions, d.Distribution)
			c.agree(f.Name+" itself", c.own(f, d, all[d.Key]), d.ThisFile)
		}
		c.requireDistributions(f.Name, members, distributions)
	}
}

// own is what a file itself says of an attribute: the best of what was read, or
// what people said.
func (c *corpus) own(f *fileRow, d api.CohortDistribution, said map[string]*saying) *api.ValueShare {
	var best *attributeRow
	for i, a := range f.attributes {
		if a.Key == d.Key && (best == nil || a.Source == "human" && best.Source != "human" || a.Source == best.Source && a.Confidence > best.Confidence) {
			best = &f.attributes[i]
		}
	}
	if best == nil {
		return nil
	}
	same := 0
	if s := said[saidAs(*best)]; s != nil {
		same = len(s.files)
	}
	return &api.ValueShare{Value: best.shown(), Share: float64(same) / float64(d.Files)}
}

// dated is the best of what a file says of a date or a duration.
func dated(f *fileRow, key string) *attributeRow {
	var best *attributeRow
	for i, a := range f.attributes {
		if a.Key == key && (a.Normalized.Date != "" || a.Normalized.Duration != "") &&
			(best == nil || a.Source == "human" && best.Source != "human" || a.Source == best.Source && a.Confidence > best.Confidence) {
			best = &f.attributes[i]
		}
	}
	return best
}

func (c *corpus) dates() {
	keys, buckets := []string{"agreement_date", "effective_date", "expiration_date"}, []string{"month", "quarter", "year"}
	for i, f := range c.samples(eachSample) {
		key, bucket := keys[i%3], buckets[i/3%3]
		files, comparison := c.around(f, f.TypeID)
		var got api.DateCohort
		c.post(map[string]any{"dateKey": key, "bucket": bucket, "copies": true}, &got, "/api/files/{fileId}/document-types/dates", f.ID)
		want := api.DateCohort{FileID: f.ID, Compared: comparison, DateKey: key, Bucket: bucket}
		want.Series, want.ThisFile, want.Undated = series(f, files, key, bucket)
		want.Durations = durations(f, files)
		for i := range got.Series {
			slices.Sort(got.Series[i].FileIDs)
		}
		c.agree(f.Name, want, got)
	}
}

// below is the share of values that are less, and half of those that are equal.
func below[T ~string | ~float64](values []T, v T) float64 {
	sum := 0.0
	for _, o := range values {
		if o < v {
			sum++
		}
		if o == v {
			sum += 0.5
		}
	}
	return sum / float64(max(1, len(values)))
}

// series are the files by when a date of theirs is, and where that of one of them
// stands.
func series(f *fileRow, files []*fileRow, key, bucket string) ([]api.DateBucket, *api.DatePlace, int) {
	byStart, undated, dates := map[string]*api.DateBucket{}, 0, []string{}
	var own *api.DatePlace
	for _, o := range files {
		a := dated(o, key)
		if a == nil || a.Normalized.Date == "" {
			undated++
			continue
		}
		date := a.Normalized.Date
		from, to := period(date, bucket)
		if o == f {
			own = &api.DatePlace{Date: date, Bucket: from}
		}
		if from == "" {
			undated++
			continue
		}
		dates = append(dates, date)
		if byStart[from] == nil {
			byStart[from] = &api.DateBucket{From: from, To: to}
		}
		byStart[from].Count++
		byStart[from].FileIDs = append(byStart[from].FileIDs, o.ID)
	}
	list := []api.DateBucket{}
	for _, b := range byStart {
		slices.Sort(b.FileIDs)
		list = append(list, *b)
	}
	if own != nil {
		own.Percentile = below(dates, own.Date)
	}
	return sorted(list, func(b api.DateBucket) string { return b.From }), own, undated
}

// period is the first and the last day of the month, quarter or year of a date;
// empty where the date does not tell.
func period(date, bucket string) (from, to string) {
	parts := strings.Split(date, "-")
	if bucket == "year" {
		return parts[0] + "-01-01", parts[0] + "-12-31"
	}
	if len(parts) < 2 {
		return "", ""
	}
	month, err := time.Parse("2006-01", parts[0]+"-"+parts[1])
	if err != nil {
		return "", ""
	}
	months := 1
	if bucket == "quarter" {
		for month.Month()%3 != 1 {
			month = month.AddDate(0, -1, 0)
		}
		months = 3
	}
	return month.Format(time.DateOnly), month.AddDate(0, months, -1).Format(time.DateOnly)
}

// durations is how long what files speak of lasts.
func durations(f *fileRow, files []*fileRow) []api.DurationRank {
	unit := map[byte]float64{'D': 1, 'W': 7, 'M': 365. / 12, 'Y': 365}
	days := func(duration string) (n float64) {
		var u byte
		if _, err := fmt.Sscanf(duration, "P%f%c", &n, &u); err != nil {
			return math.NaN()
		}
		return n * unit[u]
	}
	keys := map[string]bool{}
	for _, o := range files {
		for _, a := range o.attributes {
			if a.Normalized.Duration != "" {
				keys[a.Key] = true
			}
		}
	}
	list := []api.DurationRank{}
	for key := range keys {
		rank := api.DurationRank{Key: key}
		var all []float64
		for _, o := range files {
			a := dated(o, key)
			if a == nil || a.Normalized.Duration == "" {
				continue
			}
			all = append(all, days(a.Normalized.Duration))
			if o == f {
				rank.ThisFile = &api.DurationPlace{Duration: a.Normalized.Duration, Days: all[len(all)-1]}
			}
		}
		if len(all) == 0 {
			continue
		}
		rank.Files, rank.Min, rank.P25, rank.Median, rank.P75, rank.Max = len(all), quantile(all, 0), quantile(all, 0.25), quantile(all, 0.5), quantile(all, 0.75), quantile(all, 1)
		if rank.ThisFile != nil {
			rank.ThisFile.Percentile = below(all, rank.ThisFile.Days)
		}
		list = append(list, rank)
	}
	return sorted(list, func(r api.DurationRank) string { return r.Key })
}

func (c *corpus) typeScores() {
	byKey := map[string]typeRow{}
	for _, t := range c.rows.types {
		if t.Key != nil {
			byKey[*t.Key] = t
		}
	}
	for _, f := range c.samples(eachSample) {
		var got api.TypeScores
		c.post(map[string]any{"explain": true, "copies": true}, &got, "/api/files/{fileId}/document-types/scores", f.ID)
		want := api.TypeScores{FileID: f.ID, Abstained: true, Title: f.guess.Title, ModelID: f.guess.ModelID, Stale: got.Stale}
		if f.assigned() {
			want.AssignedID = f.TypeID
		}
		sum := 0.0
		for i, s := range f.guess.Scores {
			t := byKey[s.Type]
			want.Items = append(want.Items, api.TypeScore{Rank: i + 1, DocumentTypeID: t.ID, Name: t.Name, Score: s.Probability})
			sum += s.Probability
			if s.Probability > 0.5 {
				want.Abstained, want.PredictedID = false, &t.ID
			}
		}
		c.agree(f.Name+" all scores", 1.0, sum)
		for i, s := range got.Items {
			if i < 3 {
				require.NotEmpty(c.t, s.Evidence, "%s %s", f.Name, s.Name)
			}
			c.requireLifts(f, s)
			got.Items[i].Evidence = nil
		}
		c.agree(f.Name, want, got)
		if want.AssignedID == nil {
			c.agree(f.Name+" predicted", want.PredictedID, f.TypeID)
		}
		if f.TypeID != nil && want.AssignedID == nil {
			c.agree(f.Name+" score", got.Items[0].Score, f.TypeScore)
		}
	}
}

// requireLifts compares how much more often the files of a type have the nodes of
// a file than all files do.
func (c *corpus) requireLifts(f *fileRow, s api.TypeScore) {
	c.t.Helper()
	analyzed := c.rows.which(func(o *fileRow) bool { return o.Analyzed })
	ofType := slices.DeleteFunc(slices.Clone(analyzed), func(o *fileRow) bool { return !o.is(s.DocumentTypeID) })
	inTeam, inType := spread(analyzed), spread(ofType)
	want, got := map[string]api.TypeEvidence{}, []api.TypeEvidence{}
	for _, e := range s.Evidence {
		if e.Label != "" {
			got = append(got, e)
		}
	}
	if s.Evidence == nil || len(ofType) == 0 {
		require.Empty(c.t, got)
		return
	}
	for label, n := range f.nodes {
		lift := float64(inType[label]) / float64(len(ofType)) / (float64(inTeam[label]) / float64(len(analyzed)))
		want[label] = api.TypeEvidence{Label: label, Sentences: n.sentences, Lift: &lift}
	}
	agreeTop(c, f.Name+" "+s.Name, want, got, 8, func(e api.TypeEvidence) string { return e.Label }, func(e api.TypeEvidence) float64 { return *e.Lift })
}
