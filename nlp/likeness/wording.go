package likeness

import "slices"

// Wording is how one thing is put in many texts.
type Wording struct {
	Medoid int     // the text closest to all others together
	Spread float64 // the mean distance of the texts from their centroid: 0 where all have the same words, towards 1 where they have none in common

	centroid Vector
}

// NewWording compares texts of c. It is false where none has a word.
func (c *Corpus) NewWording(texts []string) (w Wording, ok bool) {
	vectors := make([]Vector, 0, len(texts))
	places := make([]int, 0, len(texts))
	for i, text := range texts {
		if v := c.Vector(text); len(v.terms) > 0 {
			vectors, places = append(vectors, v), append(places, i)
		}
	}
	if len(vectors) == 0 {
		return Wording{}, false
	}
	w.centroid = Centroid(vectors)
	best := -1.0
	for i, v := range vectors {
		likeness := w.centroid.Likeness(v)
		w.Spread += (1 - likeness) / float64(len(vectors))
		if likeness > best {
			best, w.Medoid = likeness, places[i]
		}
	}
	return w, true
}

// Likeness is the similarity of two wordings of one corpus, 0 to 1.
func (w Wording) Likeness(o Wording) float64 { return w.centroid.Likeness(o.centroid) }

// Edit is a run of words that two texts share, or that one of them has in place
// of what the other has.
type Edit struct {
	Op   string // "=", "-" only in the first text, "+" only in the second
	Text string // as it is written, with the spaces after it
}

// mostDiffWords bounds the words of each text that are compared one by one.
const mostDiffWords = 2000

// DiffWords is the word diff of two texts. The edits with "=" or "-" make up the first
// text, those with "=" or "+" the second one, except for its spaces. Beyond 2,000
// words the rest of the texts is one difference.
func DiffWords(a, b string) []Edit {
	x, y := piecesOf(a), piecesOf(b)
	long := len(x) > mostDiffWords || len(y) > mostDiffWords
	var restX, restY []string
	if long {
		restX, restY = x[min(mostDiffWords, len(x)):], y[min(mostDiffWords, len(y)):]
		x, y = x[:min(mostDiffWords, len(x))], y[:min(mostDiffWords, len(y))]
	}
	var edits []Edit
	add := func(op string, words ...string) {
		for _, word := range words {
			n := len(edits)
			if n > 0 && edits[n-1].Op == op {
				edits[n-1].Text += word
				continue
			}
			if op == "+" && n > 0 && edits[n-1].Op == "=" && trimSpace(edits[n-1].Text) == edits[n-1].Text {
				word = " " + word // the last of a has no space behind it
			}
			edits = append(edits, Edit{op, word})
		}
	}
	common := commonWords(x, y)
	i, j := 0, 0
	for _, match := range append(common, [2]int{len(x), len(y)}) {
		add("-", x[i:match[0]]...)
		add("+", y[j:match[1]]...)
		if match[0] < len(x) {
			add("=", x[match[0]])
		}
		i, j = match[0]+1, match[1]+1
	}
	add("-", restX...)
	add("+", restY...)
	return edits
}

// piecesOf cuts text behind the spaces that follow each word.
func piecesOf(text string) []string {
	var words []string
	start, space := 0, false
	for i := range len(text) {
		is := text[i] == ' ' || text[i] >= '\t' && text[i] <= '\r'
		if space && !is {
			words = append(words, text[start:i])
			start = i
		}
		space = is
	}
	if start < len(text) {
		words = append(words, text[start:])
	}
	return words
}

// commonWords is a longest sequence of words that both texts have, as pairs of
// places. It is found by Myers' algorithm, whose work grows with the
// differences.
func commonWords(x, y []string) [][2]int {
	same := func(i, j int) bool { return trimSpace(x[i]) == trimSpace(y[j]) }
	most := len(x) + len(y)
	frontier := make([]int, 2*most+2) // by diagonal: how far it reaches in x
	var trace [][]int
	for d := 0; d <= most; d++ {
		trace = append(trace, slices.Clone(frontier[most-d:most+d+2]))
		for k := -d; k <= d; k += 2 {
			var i int
			if k == -d || k != d && frontier[most+k-1] < frontier[most+k+1] {
				i = frontier[most+k+1]
			} else {
				i = frontier[most+k-1] + 1
			}
			j := i - k
			for i < len(x) && j < len(y) && same(i, j) {
				i, j = i+1, j+1
			}
			frontier[most+k] = i
			if i >= len(x) && j >= len(y) {
				return walkBack(trace, len(x), len(y))
			}
		}
	}
	return nil
}

// walkBack reads the pairs of equal words from the frontiers of commonWords.
func walkBack(trace [][]int, i, j int) [][2]int {
	var pairs [][2]int
	for d := len(trace) - 1; d >= 0; d-- {
		at := func(k int) int { return trace[d][k+d] }
		k := i - j
		var before int
		if k == -d || k != d && at(k-1) < at(k+1) {
			before = k + 1
		} else {
			before = k - 1
		}
		fromI, fromJ := 0, 0
		if d > 0 {
			fromI = at(before)
			fromJ = fromI - before
		}
		for i > fromI && j > fromJ {
			i, j = i-1, j-1
			pairs = append(pairs, [2]int{i, j})
		}
		i, j = fromI, fromJ
	}
	slices.Reverse(pairs)
	return pairs
}

func trimSpace(word string) string {
	end := len(word)
	for end > 0 && (word[end-1] == ' ' || word[end-1] >= '\t' && word[end-1] <= '\r') {
		end--
	}
	return word[:end]
}
