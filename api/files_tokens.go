package api

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/corpus"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// filesTokens serves word frequencies of files.
func (a *API) filesTokens() {
	session := a.area("Files", withSession)
	get(session, "/api/files/{fileId}/tokens", "listFileTokens", "List token frequencies of a file", a.listTokens, describe(
		"Lists the words of a file with their frequencies, most frequent first. Stop words, numbers and the tokens or stems in `exclude` are left out."))
}

// Tokens are the words of a file.
type Tokens struct {
	FileID     string  `json:"fileId"`
	Total      int     `json:"total" doc:"Number of words in the file, without stop words and numbers"`
	Distinct   int     `json:"distinct" doc:"Number of different tokens, before exclusions"`
	Files      int     `json:"files" doc:"Number of the team's files that document frequencies are computed from"`
	Items      []Token `json:"items" nullable:"false"`
	NextCursor string  `json:"nextCursor,omitempty"`
}

// Token is a word with its forms counted together.
type Token struct {
	Token             string  `json:"token" doc:"The most frequent form of the word"`
	Stem              string  `json:"stem"`
	Count             int     `json:"count"`
	DocumentFrequency int     `json:"documentFrequency" doc:"Number of the team's files that have it"`
	TFIDF             float64 `json:"tfidf" doc:"count / total × ln((1 + files) / (1 + documentFrequency))"`
}

func (a *API) listTokens(ctx context.Context, in *struct {
	FileRef
	Page
	Exclude   []string `query:"exclude" maxItems:"1000" doc:"Tokens or stems to leave out, ignoring case"`
	MinLength int      `query:"minLength" minimum:"1" maximum:"100" default:"1" doc:"Minimum number of characters of a token"`
}) (Tokens, error) {
	scope := auth.Scope(ctx)
	skip, err := in.offset("tokens")
	if err != nil {
		return Tokens{}, err
	}
	row, err := a.DB.File(ctx, scope, in.FileID)
	if err != nil {
		return Tokens{}, err
	}
	counted, err := a.DB.FileTokens(ctx, scope, in.FileID)
	if fault.KindOf(err) == fault.NotFound {
		if err := row.Unreadable(); err != nil {
			return Tokens{}, coded(err)
		}
		return Tokens{}, fault.New(fault.Conflict, "the file has no text yet; ask again once textReady is true")
	}
	if err != nil {
		return Tokens{}, err
	}
	var tokens []db.Token
	if err := json.Unmarshal(counted.Tokens, &tokens); err != nil {
		return Tokens{}, err
	}
	out := Tokens{FileID: in.FileID, Total: counted.Total, Distinct: len(tokens), Files: counted.TeamFiles}
	tokens = exclude(tokens, in.Exclude, in.MinLength)
	tokens, more := cut(tokens[min(skip, len(tokens)):], in.Limit)
	if more {
		out.NextCursor = cursor("tokens", strconv.Itoa(skip+in.Limit))
	}
	files, err := a.DB.StemFiles(ctx, scope, newList(tokens, func(t db.Token) string { return t.Stem }).Items)
	out.Items = newList(tokens, func(t db.Token) Token { return weigh(t, counted, files[t.Stem]) }).Items
	return out, err
}

// exclude leaves out the tokens that the caller excludes.
func exclude(tokens []db.Token, words []string, minLength int) []db.Token {
	unwanted := make(map[string]bool, len(words))
	for _, w := range words {
		unwanted[strings.ToLower(strings.TrimSpace(w))] = true
	}
	kept := slices.DeleteFunc(tokens, func(t db.Token) bool {
		return unwanted[strings.ToLower(t.Token)] || unwanted[t.Stem] || utf8.RuneCountInString(t.Token) < minLength
	})
	slices.SortStableFunc(kept, func(x, y db.Token) int { return cmp.Or(y.Count-x.Count, cmp.Compare(x.Stem, y.Stem)) })
	return kept
}

// weigh computes the weight of a token relative to the team's files.
func weigh(t db.Token, in db.FileTokens, having int) Token {
	weight, files := corpus.Weight(t.Count, in.Total, having, in.TeamFiles)
	return Token{t.Token, t.Stem, t.Count, files, weight}
}
