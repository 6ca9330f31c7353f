package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/ocr/ocrtest"
)

// WantedAnalysis is how many megabytes of text a second one core is to read and
// understand.
const WantedAnalysis = 8

// Speed is how fast texts are understood, by the time that the processor spent.
type Speed struct {
	MBPerSecond        float64
	SentencesPerSecond float64
}

// AnalysisSpeed measures the whole analysis of texts, whose pages form feeds
// part: segments, sections, sentences, terms, references, signatures, attributes
// and labels.
func AnalysisSpeed(texts []string) (Speed, error) {
	var w stopwatch
	for _, text := range texts {
		if err := w.analyse(text); err != nil {
			return Speed{}, err
		}
	}
	return w.speed(), nil
}

// stopwatch adds up what was done and how long the processor took for it.
type stopwatch struct {
	bytes, sentences int
	spent            time.Duration
}

func (w *stopwatch) analyse(text string) error {
	model, err := nlp.BaseModel()
	if err != nil {
		return err
	}
	before := ocrtest.CPU()
	s := nlp.Segment(strings.Split(text, "\f"))
	facts := nlp.Facts(s)
	s.Signatures()
	model.Predict(nlp.Passages(s, facts))
	w.spent += ocrtest.CPU() - before
	w.bytes += len(text)
	w.sentences += len(s.Sentences)
	return nil
}

func (w *stopwatch) speed() Speed {
	seconds := max(w.spent, time.Microsecond).Seconds()
	return Speed{float64(w.bytes) / 1e6 / seconds, float64(w.sentences) / seconds}
}

// analysis measures how fast texts are understood beside a command that only
// sorts their words.
func analysis(ctx context.Context, c *Config) ([]row, error) {
	names, err := filepath.Glob(filepath.Join(c.Data, "cuad", "txt", "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no texts in %s", filepath.Join(c.Data, "cuad", "txt"))
	}
	texts, size := make([]string, len(names)), 0
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
		size += len(text)
	}
	alone, served, err := c.analysisServed(ctx, texts)
	if err != nil {
		return nil, err
	}
	ours := alone.speed()
	words := row{
		what: "text to labels and attributes", ours: fmt.Sprintf("%.1f MB/CPU s", ours.MBPerSecond),
		want: fmt.Sprintf("≥ %d MB", WantedAnalysis),
	}
	if theirs, ok := frequencies(ctx, names, size); ok {
		words.peer = fmt.Sprintf("words weighed by scikit-learn %.1f", theirs)
		words.ratio = ours.MBPerSecond / theirs
	} else {
		words = missing(words.what, words.ours, "scikit-learn", words.want)
	}
	through := served.speed().MBPerSecond
	return []row{words, {what: "the same, sentences", ours: fmt.Sprintf("%.0f/CPU s", ours.SentencesPerSecond)}, {
		what: "the same by POST /api/text/nlp/analyze-text, caller and JSON included", ours: fmt.Sprintf("%.1f MB/CPU s", through),
		peer: fmt.Sprintf("the analysis alone %.1f", ours.MBPerSecond), ratio: through / ours.MBPerSecond, want: "≥ 0.67",
	}}, nil
}

// analysisServed measures the analysis of texts alone and by the service, which is in this
// process, in turns: what the machine is slowed down by meets both. Postgres, which the service
// asks for the model and the labels, is not counted.
func (c *Config) analysisServed(ctx context.Context, texts []string) (alone, served stopwatch, err error) {
	for _, text := range texts {
		const longest = 1 << 20 // that the service takes
		if len(text) > longest {
			continue
		}
		if err := alone.analyse(text); err != nil {
			return alone, served, err
		}
		body, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			return alone, served, err
		}
		before := ocrtest.CPU()
		if err := c.call(ctx, http.MethodPost, "/api/text/nlp/analyze-text", "application/json", bytes.NewReader(body), nil); err != nil {
			return alone, served, err
		}
		served.spent += ocrtest.CPU() - before
		served.bytes += len(text)
	}
	return alone, served, nil
}

// frequencies is how many megabytes a second scikit-learn weighs the words and
// pairs of words of texts, a line at a time; ok is false where it is not
// installed.
func frequencies(ctx context.Context, names []string, size int) (rate float64, ok bool) {
	const script = `import sys, time
from sklearn.feature_extraction.text import TfidfVectorizer
lines = [l for n in sys.stdin.read().split("\n") if n for l in open(n, encoding="utf-8") if l.strip()]
t = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=3).fit(lines)
before = time.process_time()
t.transform(lines)
print(time.process_time() - before)`
	command := exec.CommandContext(ctx, "python3", "-c", script)
	command.Stdin = strings.NewReader(strings.Join(names, "\n"))
	out, err := command.Output()
	if err != nil {
		return 0, false
	}
	var seconds float64
	if _, err := fmt.Sscan(string(out), &seconds); err != nil || seconds <= 0 {
		return 0, false
	}
	return float64(size) / 1e6 / seconds, true
}
