package score

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/clausemill/clausemill/nlp"
)

// Corpus is the annotated contracts.
type Corpus struct {
	Hash      string // SHA-256 of the annotations and then of each text
	Contracts []*Contract
}

// Contract is one of them, and what the program makes of its text.
type Contract struct {
	ID      string              `json:"id"`
	File    string              `json:"txt"`
	Type    string              `json:"type"`
	Clauses map[string][]string `json:"clauses"` // by category: the words that people marked
	Answers map[string]string   `json:"answers"` // by category: what those words say

	Text     *nlp.Segmentation `json:"-"`
	Facts    nlp.Attributes    `json:"-"`
	Contents *Contents         `json:"-"` // nil where it prints no table of contents
}

// Read reads contracts.jsonl, the texts that it names and, where it is there,
// headings.jsonl. Where ctx ends, its cause is the error.
func Read(ctx context.Context, dir fs.FS) (*Corpus, error) {
	hash := sha256.New()
	c, byID := &Corpus{}, map[string]*Contract{}
	annotations, err := fs.ReadFile(dir, "contracts.jsonl")
	if err != nil {
		return nil, err
	}
	hash.Write(annotations)
	err = eachLine(annotations, func(line []byte) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var contract Contract
		if err := json.Unmarshal(line, &contract); err != nil {
			return err
		}
		text, err := fs.ReadFile(dir, contract.File)
		if err != nil {
			return err
		}
		hash.Write(text)
		contract.Text = nlp.Segment(strings.Split(string(text), "\f"))
		contract.Facts = nlp.Facts(contract.Text)
		c.Contracts = append(c.Contracts, &contract)
		byID[contract.ID] = &contract
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("contracts.jsonl: %w", err)
	}
	c.Hash = hex.EncodeToString(hash.Sum(nil))

	tables, err := fs.ReadFile(dir, "headings.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	err = eachLine(tables, func(line []byte) error {
		var contents Contents
		if err := json.Unmarshal(line, &contents); err != nil {
			return err
		}
		contract, ok := byID[contents.ID]
		if !ok {
			return fmt.Errorf("no contract %q", contents.ID)
		}
		contract.Contents = &contents
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("headings.jsonl: %w", err)
	}
	return c, nil
}

func eachLine(data []byte, do func([]byte) error) error {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		if err := do(lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Texts returns the texts of the contracts.
func (c *Corpus) Texts() []string {
	texts := make([]string, len(c.Contracts))
	for i, contract := range c.Contracts {
		texts[i] = contract.Text.Text
	}
	return texts
}

// Labels returns the sentences of the contracts with the nodes of the taxonomy
// that people marked in them.
func (c *Corpus) Labels() (nodes []string, examples []nlp.Example) {
	for _, node := range nlp.Taxonomy() {
		nodes = append(nodes, node.ID)
	}
	for _, contract := range c.Contracts {
		quotes := map[string][]string{}
		for _, node := range nlp.Taxonomy() {
			quotes[node.ID] = contract.Clauses[node.Category]
		}
		examples = append(examples, nlp.Example{Passages: nlp.Passages(contract.Text, contract.Facts), Labels: nlp.Annotate(contract.Text, nodes, quotes)})
	}
	return nodes, examples
}

// Types returns the contracts with their types.
func (c *Corpus) Types() (types []string, examples []nlp.TypeExample) {
	ids := map[string]string{}
	for _, d := range nlp.DocumentTypes() {
		ids[d.Name] = d.ID
		types = append(types, d.ID)
	}
	for _, contract := range c.Contracts {
		examples = append(examples, nlp.TypeExample{Contract: nlp.NewTypeText(contract.Text, contract.Facts), Type: ids[contract.Type]})
	}
	return types, examples
}
