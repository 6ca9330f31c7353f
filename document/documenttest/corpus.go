// Package documenttest measures extracted text against contracts whose text is
// known.
package documenttest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Contract is one PDF of the Contract Understanding Atticus Dataset with the
// text its annotators worked on.
type Contract struct {
	ID, PDF, Text string // PDF and Text are paths
}

// Contracts lists the PDFs of the dataset in dir/cuad.
func Contracts(dir string) ([]Contract, error) {
	dir = filepath.Join(dir, "cuad")
	f, err := os.Open(filepath.Join(dir, "contracts.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []Contract
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var c struct{ ID, PDF, Txt string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, err
		}
		if c.PDF != "" {
			all = append(all, Contract{c.ID, filepath.Join(dir, c.PDF), filepath.Join(dir, c.Txt)})
		}
	}
	if len(all) == 0 && lines.Err() == nil {
		return nil, fmt.Errorf("no contract with a PDF in %s", dir)
	}
	return all, lines.Err()
}

// Agreement is the F1 of the bags of n-grams of two texts, words being runs of
// letters, digits and underscores.
func Agreement(got, want string, n int) float64 {
	have, total := map[string]int{}, 0
	grams := func(text string, each func(string)) {
		words := strings.FieldsFunc(text, parts)
		for i := 0; i+n <= len(words); i++ {
			total++
			each(strings.Join(words[i:i+n], " "))
		}
	}
	grams(got, func(g string) { have[g]++ })
	common := 0
	grams(want, func(g string) {
		if have[g] > 0 {
			have[g]--
			common++
		}
	})
	if total == 0 {
		return 1
	}
	return 2 * float64(common) / float64(total)
}
