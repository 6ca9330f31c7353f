package e2e_test

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// What the API keeps of an analysis, and reads for one.
const (
	newestFiles     = 200 // whose words are counted
	mostTerms       = 100
	mostUnusual     = 20
	mostValues      = 20
	comparedTexts   = 200
	leastSimilarity = 0.3
)

func utcTime(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// documentType is a type as its row and the rows of files have it.
func (c *corpus) documentType(t typeRow) api.DocumentType {
	out := api.DocumentType{
		ID: t.ID, Key: t.Key, Name: t.Name, Description: t.Description, CategoryIDs: []string{}, CreatedBy: t.CreatedBy, Version: t.Version, AnalyzedAt: utcTime(t.AnalyzedAt), CreatedAt: t.CreatedAt.UTC(), UpdatedAt: t.UpdatedAt.UTC(),
	}
	for _, f := range c.rows.files {
		if f.is(t.ID) {
			out.FileCount++
			if f.assigned() {
				out.Assigned++
			}
		}
	}
	return out
}

func (c *corpus) typeList() {
	var want, got []api.DocumentType
	for _, t := range c.rows.types {
		want = append(want, c.documentType(t))
	}
	for cursor := ""; ; {
		var page api.List[api.DocumentType]
		c.get(&page, "/api/document-types?limit=7&cursor="+cursor)
		got = append(got, page.Items...)
		require.Equal(c.t, len(want), *page.Total)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	c.agree("types", want, got)
}

// eachType asks something of every type and compares it.
func eachType[T any](c *corpus, route string, want func(typeRow) T) {
	for _, t := range c.rows.types {
		var got T
		c.get(&got, route, t.ID)
		c.agree(t.Name, want(t), got)
	}
}

func (c *corpus) typeByID() { eachType(c, "/api/document-types/{dtid}", c.documentType) }

func (c *corpus) typeDetails() { eachType(c, "/api/document-types/{dtid}/crud", c.documentType) }

func (c *corpus) typeName() {
	eachType(c, "/api/document-types/{dtid}/name", func(t typeRow) api.TypeName { return api.TypeName{ID: t.ID, Name: t.Name} })
}

func (c *corpus) typeDocuments() {
	type listed struct {
		ID                 string
		DocumentTypeID     *string
		DocumentTypeSource *string
		DocumentTypeScore  *float32
	}
	for _, t := range c.rows.types {
		var want, got []listed
		for _, f := range c.rows.which(func(f *fileRow) bool { return f.is(t.ID) }) {
			want = append(want, listed{f.ID, f.TypeID, f.TypeSource, f.TypeScore})
		}
		for cursor := ""; ; {
			var page api.List[listed]
			c.get(&page, "/api/document-types/{dtid}/documents?limit=5&cursor="+cursor, t.ID)
			got = append(got, page.Items...)
			c.agree(t.Name+" total", len(want), page.Total)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		c.agree(t.Name, want, got)
	}
}

// stats is how much the files of a type hold, by their texts and sentences.
func (c *corpus) stats(t typeRow) api.TypeStats {
	d := c.documentType(t)
	out := api.TypeStats{
		DocumentTypeID: t.ID, Name: t.Name, Files: d.FileCount, Assigned: d.Assigned, Predicted: d.FileCount - d.Assigned, AnalyzedAt: d.AnalyzedAt,
	}
	for _, f := range c.rows.which(func(f *fileRow) bool { return f.is(t.ID) }) {
		out.Pages += f.Pages
		if !f.Analyzed {
			continue
		}
		out.Analyzed++
		out.Words += len(strings.Fields(f.text))
		out.Sentences += len(f.sentences)
		for _, n := range f.nodes {
			out.Labelled += n.sentences
			out.Validated += n.validated
		}
	}
	return out
}

func (c *corpus) typeStats() { eachType(c, "/api/document-types/{dtid}/stats?copies=true", c.stats) }

func (c *corpus) allTypeStats() {
	want := api.AllTypeStats{Untyped: len(c.rows.which(func(f *fileRow) bool { return f.TypeID == nil }))}
	for _, t := range c.rows.types {
		want.Items = append(want.Items, c.stats(t))
	}
	var got api.AllTypeStats
	c.get(&got, "/api/document-types/stats?copies=true")
	c.agree("stats", want, got)
}

// nodes are the nodes that occur in files, without how they are put.
func nodes(files []*fileRow) map[string]db.CorpusNode {
	out, places := map[string]db.CorpusNode{}, map[string][]float64{}
	for _, f := range files {
		for label, n := range f.nodes {
			node := out[label]
			node.Label = label
			node.Files++
			node.Sentences += n.sentences
			node.Validated += n.validated
			out[label] = node
			places[label] = append(places[label], n.place)
		}
	}
	for label, n := range out {
		n.Frequency = float64(n.Files) / float64(len(files))
		n.Rarity = math.Log2(float64(len(files)) / float64(n.Files))
		n.Place = quantile(places[label], 0.5)
		out[label] = n
	}
	return out
}

// requireNodes compares the nodes of a type, and how each is put.
func (c *corpus) requireNodes(where string, files []*fileRow, got []db.CorpusNode) {
	c.t.Helper()
	words := c.wordings(files)
	plain := slices.Clone(got)
	for i := range plain {
		words.requireWording(c, where, plain[i])
		plain[i].Wording = nil
	}
	agreeTop(c, where, nodes(files), plain, math.MaxInt, func(n db.CorpusNode) string { return n.Label }, func(n db.CorpusNode) float64 { return float64(n.Files) })
}

func (c *corpus) typeTags() {
	for _, t := range c.rows.types {
		var got api.TypeNodes
		c.get(&got, "/api/document-types/{dtid}/tags?copies=true", t.ID)
		c.requireNodes(t.Name, c.rows.ofType(t.ID), c.plainNodes(got.Items))
	}
}

// plainNodes are nodes without their names, which are compared.
func (c *corpus) plainNodes(list []api.TypeNode) []db.CorpusNode {
	out := make([]db.CorpusNode, len(list))
	for i, n := range list {
		c.agree(n.Label, []string{c.rows.names[n.Label], c.rows.families[n.Label]}, []string{n.Name, n.Family})
		out[i] = n.CorpusNode
	}
	return out
}

func (c *corpus) typeTree() {
	for _, t := range c.rows.types {
		files := c.rows.ofType(t.ID)
		type family struct {
			Name             string
			Place, Frequency float64
			Nodes            []string
		}
		byName := map[string]*family{}
		weight := map[string]float64{}
		list := sorted(values(nodes(files)), func(n db.CorpusNode) string { return fmt.Sprintf("%.9f %s", n.Place, n.Label) })
		for _, n := range list {
			name := c.rows.families[n.Label]
			f := byName[name]
			if f == nil {
				f = &family{Name: name}
				byName[name] = f
			}
			f.Nodes = append(f.Nodes, n.Label)
			f.Frequency = max(f.Frequency, n.Frequency)
			f.Place += n.Place * n.Frequency
			weight[name] += n.Frequency
		}
		want := []family{}
		for name, f := range byName {
			f.Place /= weight[name]
			want = append(want, *f)
		}
		var tree api.TypeTree
		c.get(&tree, "/api/document-types/{dtid}/tree?copies=true", t.ID)
		got := []family{}
		var all []db.CorpusNode
		for i, f := range tree.Children {
			if i > 0 {
				require.GreaterOrEqual(c.t, f.Place, tree.Children[i-1].Place, "the families of %s are out of order", t.Name)
			}
			one := family{f.Name, f.Place, f.Frequency, nil}
			for _, n := range f.Children {
				one.Nodes = append(one.Nodes, n.Label)
			}
			got = append(got, one)
			all = append(all, c.plainNodes(f.Children)...)
		}
		byPlace := func(f family) string { return fmt.Sprintf("%.6f %s", f.Place, f.Name) }
		c.agree(t.Name, sorted(want, byPlace), sorted(got, byPlace))
		slices.SortStableFunc(all, func(a, b db.CorpusNode) int { return cmp.Compare(b.Files, a.Files) })
		c.requireNodes(t.Name, files, all)
	}
}

func values[K comparable, V any](m map[K]V) []V {
	list := make([]V, 0, len(m))
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// requireAnalysis compares which analysis an answer is from.
func (c *corpus) requireAnalysis(t typeRow, got api.AnalysisOf) {
	c.t.Helper()
	c.agree(t.Name, api.AnalysisOf{DocumentTypeID: t.ID, Version: *t.Analysis, Files: len(c.rows.ofType(t.ID)), AnalyzedAt: t.AnalyzedAt.UTC()}, got)
}

func (c *corpus) typeAnalytics() {
	for _, t := range c.rows.types {
		files := c.rows.ofType(t.ID)
		var got api.TypeAnalytics
		c.get(&got, "/api/document-types/{dtid}/analytics?copies=true", t.ID)
		c.requireAnalysis(t, got.AnalysisOf)
		c.requireNodes(t.Name, files, got.Nodes)
		c.requireTerms(t.Name, files, got)
		c.requireDistributions(t.Name, files, got.Attributes)
		c.agree(t.Name+" over time", overTime(files), got.OverTime)
		c.requireUnusual(t.Name, files, got.Unusual)
	}
}

// requireTerms compares the words that tell files apart from the team's others.
func (c *corpus) requireTerms(where string, files []*fileRow, got api.TypeAnalytics) {
	c.t.Helper()
	newest := files[:min(newestFiles, len(files))]
	c.agree(where+" files of terms", len(newest), got.TermFiles)
	texts, inTeam := 0, map[string]int{}
	for _, f := range c.rows.files {
		if f.TextReady {
			texts++
		}
		for _, token := range f.tokens {
			inTeam[token.Stem]++
		}
	}
	terms, forms := map[string]db.CorpusTerm{}, map[string]map[string]int{}
	for _, f := range newest {
		for _, token := range f.tokens {
			term := terms[token.Stem]
			term.Stem = token.Stem
			term.Files++
			term.Count += token.Count
			terms[token.Stem] = term
			if forms[token.Stem] == nil {
				forms[token.Stem] = map[string]int{}
			}
			forms[token.Stem][token.Token]++
		}
	}
	for stem, term := range terms {
		if term.Files*10 < len(newest) {
			delete(terms, stem)
			continue
		}
		term.Weight = float64(term.Files) / float64(len(newest)) * math.Log(1+float64(texts)/float64(inTeam[stem]))
		terms[stem] = term
	}
	told := slices.Clone(got.Terms)
	for i, term := range told {
		require.Contains(c.t, commonest(forms[term.Stem]), term.Token, "%s: the form of %s", where, term.Stem)
		told[i].Token = ""
	}
	agreeTop(c, where+" terms", terms, told, mostTerms, func(t db.CorpusTerm) string { return t.Stem }, func(t db.CorpusTerm) float64 { return t.Weight })
}

// commonest are the words that were counted most often.
func commonest(counts map[string]int) []string {
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	var list []string
	for word, n := range counts {
		if n == most {
			list = append(list, word)
		}
	}
	return list
}

// saying is the files that say the same of an attribute, in whatever words.
type saying struct {
	files map[string]bool
	words map[string]int
}

// sayings groups what files say of their attributes, by key and by what is said.
func sayings(files []*fileRow) map[string]map[string]*saying {
	out := map[string]map[string]*saying{}
	for _, f := range files {
		for _, a := range f.attributes {
			if out[a.Key] == nil {
				out[a.Key] = map[string]*saying{}
			}
			said := saidAs(a)
			s := out[a.Key][said]
			if s == nil {
				s = &saying{map[string]bool{}, map[string]int{}}
				out[a.Key][said] = s
			}
			s.files[f.ID] = true
			s.words[a.shown()]++
		}
	}
	return out
}

// saidAs is what an attribute says, whatever unit a duration is in: thirty days are a
// month, up to a year of them, and 365 days are a year.
func saidAs(a attributeRow) string {
	n, unit := 0, ""
	if a.Normalized.Duration == "" {
		return a.Normal
	}
	if _, err := fmt.Sscanf(a.Normal, "p%d%s", &n, &unit); err != nil {
		return a.Normal
	}
	days := map[string]int{"d": n, "w": 7 * n}[unit]
	switch {
	case unit == "y":
		return fmt.Sprintf("p%dm", 12*n)
	case days == 0:
		return a.Normal
	case days >= 30 && days <= 360 && days%30 == 0:
		return fmt.Sprintf("p%dm", days/30)
	case days%365 == 0:
		return fmt.Sprintf("p%dm", days/365*12)
	}
	return fmt.Sprintf("p%dd", days)
}

// requireDistributions compares what files say of their attributes.
func (c *corpus) requireDistributions(where string, files []*fileRow, got []db.Distribution) {
	c.t.Helper()
	all := sayings(files)
	require.Len(c.t, got, len(all), where)
	for _, d := range got {
		said := map[string]bool{}
		var counts []int
		free := map[string]*saying{}
		for normal, s := range all[d.Key] {
			counts = append(counts, len(s.files))
			for id := range s.files {
				said[id] = true
			}
			free[normal] = s
		}
		sort.Sort(sort.Reverse(sort.IntSlice(counts)))
		c.agree(where+" "+d.Key, len(said), d.Files)
		told := []int{}
		for _, v := range d.Values {
			told = append(told, v.Files)
			normal := ""
			for key, s := range free {
				if len(s.files) == v.Files && slices.Contains(commonest(s.words), v.Value) {
					normal = key
				}
			}
			require.Contains(c.t, free, normal, "%s: no %d files say that %s is %q", where, v.Files, d.Key, v.Value)
			delete(free, normal)
		}
		c.agree(where+" "+d.Key, counts[:min(mostValues, len(counts))], told)
	}
}

// overTime counts the files of each year, and those that have each node.
func overTime(files []*fileRow) []db.CorpusYear {
	years := map[string]*db.CorpusYear{}
	for _, f := range files {
		year := strconv.Itoa(f.CreatedAt.UTC().Year())
		for _, key := range []string{"effective_date", "agreement_date"} { // the later wins
			earliest := ""
			for _, a := range f.attributes {
				if date := a.Normalized.Date; a.Key == key && date != "" && (earliest == "" || date < earliest) {
					earliest = date
				}
			}
			if earliest != "" {
				year = earliest[:4]
			}
		}
		if years[year] == nil {
			years[year] = &db.CorpusYear{Year: year, Nodes: map[string]int{}}
		}
		years[year].Files++
		for label := range f.nodes {
			years[year].Nodes[label]++
		}
	}
	list := []db.CorpusYear{}
	for _, y := range years {
		list = append(list, *y)
	}
	return sorted(list, func(y db.CorpusYear) string { return y.Year })
}

// requireUnusual compares the files with the rarest nodes.
func (c *corpus) requireUnusual(where string, files []*fileRow, got []db.UnusualFile) {
	c.t.Helper()
	all, want := nodes(files), map[string]db.UnusualFile{}
	for _, f := range files {
		var rarities []float64
		for label := range f.nodes {
			rarities = append(rarities, all[label].Rarity)
		}
		rarest := sorted(values(f.nodes), func(n *nodeRow) string { return fmt.Sprintf("%.9f %s", 900-all[n.label].Rarity, n.label) })
		names := []string{}
		for _, n := range rarest[:min(5, len(rarest))] {
			names = append(names, n.label)
		}
		if mean(rarities) > 0 {
			want[f.ID] = db.UnusualFile{FileID: f.ID, Name: f.Name, Rarity: mean(rarities), Nodes: names}
		}
	}
	agreeTop(c, where+" unusual", want, got, mostUnusual, func(u db.UnusualFile) string { return u.FileID }, func(u db.UnusualFile) float64 { return u.Rarity })
}

func edgeKey(e db.CorpusEdge) string { return e.Kind + " " + e.From + " " + e.To }

// edges are how the nodes of files are joined, but for the likeness of their
// words.
func (c *corpus) edges(files []*fileRow) map[string]db.CorpusEdge {
	all := nodes(files)
	out := map[string]db.CorpusEdge{}
	count := func(kind, from, to string) {
		e := out[edgeKey(db.CorpusEdge{Kind: kind, From: from, To: to})]
		e.Kind, e.From, e.To = kind, from, to
		e.Files++
		out[edgeKey(e)] = e
	}
	inFamily := map[string]int{}
	for _, f := range files {
		list := f.order()
		families := map[string]bool{}
		for i, n := range list {
			if i > 0 {
				count("follows", list[i-1].label, n.label)
			}
			for _, other := range list {
				if n.label < other.label {
					count("cooccurs", n.label, other.label)
				}
			}
			if family := c.rows.families[n.label]; family != "" {
				count("parent", "family:"+family, n.label)
				families[family] = true
			}
		}
		for family := range families {
			inFamily[family]++
		}
	}
	for key, e := range out {
		n, from, to := float64(e.Files), float64(all[e.From].Files), float64(all[e.To].Files)
		switch e.Kind {
		case "follows":
			e.Weight = n / from
		case "cooccurs":
			e.Weight = n / (from + to - n)
			lift := n * float64(len(files)) / (from * to)
			e.Lift = &lift
		case "parent":
			e.Weight = n / float64(inFamily[strings.TrimPrefix(e.From, "family:")])
		}
		out[key] = e
	}
	return out
}

func (c *corpus) typeGraph() {
	for _, t := range c.rows.types {
		files := c.rows.ofType(t.ID)
		want := c.edges(files)
		for _, e := range c.wordings(files).similar() {
			want[edgeKey(e)] = e
		}
		var got api.TypeGraph
		c.get(&got, "/api/document-types/{dtid}/graph?copies=true", t.ID)
		c.requireAnalysis(t, got.AnalysisOf)
		graphNodes := map[string]api.GraphNode{}
		for label, n := range nodes(files) {
			family := c.rows.families[label]
			graphNodes[label] = api.GraphNode{ID: label, Name: c.rows.names[label], Family: family, Size: n.Sentences, Frequency: n.Frequency}
			if family != "" {
				g := graphNodes["family:"+family]
				g.ID, g.Name, g.Size, g.Frequency = "family:"+family, family, g.Size+n.Sentences, max(g.Frequency, n.Frequency)
				graphNodes[g.ID] = g
			}
		}
		byID := func(g api.GraphNode) string { return g.ID }
		c.agree(t.Name, sorted(values(graphNodes), byID), sorted(got.Nodes, byID))
		for i, e := range got.Edges { // these have no direction
			if (e.Kind == "cooccurs" || e.Kind == "similar") && e.From > e.To {
				got.Edges[i].From, got.Edges[i].To = e.To, e.From
			}
		}
		c.agree(t.Name, sorted(values(want), edgeKey), sorted(got.Edges, edgeKey))

		var strong api.TypeGraph
		c.get(&strong, "/api/document-types/{dtid}/graph?copies=true&kind=follows&kind=parent&minWeight=0.5", t.ID)
		n := 0
		for _, e := range want {
			if (e.Kind == "follows" || e.Kind == "parent") && e.Weight >= 0.5 {
				n++
			}
		}
		c.agree(t.Name+" strong edges", n, len(strong.Edges))
	}
}

// made adds a type of the team's own.
func (c *corpus) made(name string) api.DocumentType {
	c.t.Helper()
	var t api.DocumentType
	c.post(map[string]string{"name": name, "description": "Beside the contract"}, &t, "/api/document-types")
	return t
}

// stored is a type as the tables have it now.
func (c *corpus) stored(id string) api.DocumentType {
	c.t.Helper()
	c.rows = readRows(c.t, c.system, c.teamID)
	for _, t := range c.rows.types {
		if t.ID == id {
			d := c.documentType(t)
			d.Stale = t.Analysis == nil
			return d
		}
	}
	require.FailNow(c.t, "there is no such type", id)
	return api.DocumentType{}
}

func (c *corpus) typeCreated() {
	t := c.made("Side letter")
	c.agree("a new type", c.stored(t.ID), t)
}

func (c *corpus) typeRenamed() {
	t := c.made("Side letters")
	c.ask(c.people[0], http.MethodPut, "/api/document-types", map[string]string{"id": t.ID, "name": "Letters"}, &t)
	c.agree("a type with another name", []any{"Letters", c.stored(t.ID)}, []any{t.Name, t})
}

func (c *corpus) typeDescribed() {
	t := c.made("Notes")
	c.ask(c.people[0], http.MethodPut, "/api/document-types/{dtid}/crud", map[string]string{"description": "Of hand"}, &t, t.ID)
	c.agree("a type with another description", []any{"Notes", "Of hand", c.stored(t.ID)}, []any{t.Name, t.Description, t})
}

func (c *corpus) typeDeleted() { c.deleted("/api/document-types/{dtid}") }

func (c *corpus) typeDetailsDeleted() { c.deleted("/api/document-types/{dtid}/crud") }

// deleted removes a type that a file was given, which stays without one. The file
// gets its own back.
func (c *corpus) deleted(route string) {
	f := c.rows.which((*fileRow).assigned)[0]
	t := c.made("Short-lived")
	var done struct{}
	give := func(id string) {
		c.ask(c.people[0], http.MethodPut, "/api/files/{fileId}", map[string]string{"documentTypeId": id}, &done, f.ID)
	}
	give(t.ID)
	with := c.stored(t.ID)
	c.agree("the type of a file", []int{1, 1}, []int{with.FileCount, with.Assigned})
	c.ask(c.people[0], http.MethodDelete, route, nil, &done, t.ID)
	after := readRows(c.t, c.system, c.teamID)
	c.agree("types", len(c.rows.types)-1, len(after.types))
	c.agree("the type of the file", nil, after.byID[f.ID].TypeID)
	give(*f.TypeID)
	c.rows = readRows(c.t, c.system, c.teamID)
}

// oneMoreFile makes an analysis stale, which then is brought up to date: as if
// all had been read at once.
func (c *corpus) oneMoreFile() {
	id := c.typeIDs()[c.late.Type]
	var before, after api.TypeAnalytics
	route := "/api/document-types/{dtid}/analytics?copies=true"
	c.get(&before, route, id)
	c.start()
	f := c.upload(c.late, id)
	require.Equal(c.t, "completed", c.people[0].wait(f.ID, 20*time.Minute).Status)
	c.get(&after, route, id)
	if after.Version == before.Version { // or else it was analysed unasked meanwhile
		c.agree("before the analysis", []any{true, before.Files}, []any{after.Stale, after.Files})
	}
	c.rest()
	var accepted api.Accepted
	c.post(nil, &accepted, "/api/document-types/{dtid}/analyze", id)
	c.finished(accepted.OperationID)
	c.get(&after, route, id)
	c.agree("after the analysis", before.Files+1, after.Files)
	require.Greater(c.t, after.Version, before.Version)
	var earlier api.TypeAnalytics
	c.get(&earlier, route+"&version="+strconv.Itoa(before.Version), id)
	before.Stale = true
	c.agree("the earlier analysis", before, earlier)
}

// allAnalyzed compares again, after one file came and models may have labelled
// sentences anew.
func (c *corpus) allAnalyzed() {
	c.settle()
	c.typeAnalytics()
	c.typeGraph()
	c.allTypeStats()
}
