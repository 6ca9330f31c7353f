package db

import (
	"context"

	"github.com/clausemill/clausemill/query"
)

// FoundSection is a section whose heading matched.
type FoundSection struct {
	ID       string  `db:"id"`
	FileID   string  `db:"file_id"`
	FileName string  `db:"file_name"`
	Number   string  `db:"number"`
	Title    string  `db:"title"`
	Page     int     `db:"page"`
	Start    int     `db:"start_at"`
	End      int     `db:"end_at"`
	Score    float64 `db:"score"`
	Total    int     `db:"total"` // as far as mostRanked
}

const (
	// mostRanked is how many matches are counted, and are candidates for the first places.
	mostRanked = 1000

	// mostParsed is how many headings of these are parsed for their rank: the shortest,
	// as the rank of a heading with all words falls with its length. To parse all took
	// more than half of the time.
	mostParsed = 50
)

// SectionsTitled lists sections with all words of text in their heading, in the
// files that filter, which was checked, lets through; the best first.
func (q Queries) SectionsTitled(ctx context.Context, in Scope, text string, filter query.Filter, limit int) ([]FoundSection, error) {
	a := in.args(args{"text": text, "most": mostRanked, "parsed": mostParsed, "limit": limit})
	condition, err := conditions(filter, a, query.Files)
	if err != nil {
		return nil, err
	}
	seen := in.seesFile("c.file_id")
	from := `sections c`
	if condition != "" {
		from += ` JOIN files f ON f.id = c.file_id AND f.team_id = @team`
	} else {
		q = q.prepared() // the index of headings, whatever the words
	}
	const vector = `to_tsvector('english', searchable(c.title))`
	return many[FoundSection](ctx, q, `
		WITH asked AS (SELECT websearch_to_tsquery('english', searchable(@text)) AS words), found AS MATERIALIZED (
			SELECT c.id, c.file_id, c.number, c.title, c.first_page AS page, c.start_at, c.end_at
			FROM asked, `+from+`
			WHERE c.team_id = @team AND c.title <> '' AND `+vector+` @@ asked.words`+seen+also(condition)+` LIMIT @most
		), best AS (
			SELECT c.*, ts_rank(`+vector+`, asked.words, 1)::float8 AS score, (SELECT count(*) FROM found) AS total
			FROM asked, (SELECT * FROM found ORDER BY length(title), file_id DESC, start_at LIMIT @parsed) c
			ORDER BY score DESC, file_id DESC, start_at LIMIT @limit
		)
		SELECT b.*, f.name AS file_name FROM best b JOIN files f ON f.id = b.file_id AND f.team_id = @team
		ORDER BY b.score DESC, b.file_id DESC, b.start_at`, a)
}

// FoundName is something whose name matched.
type FoundName struct {
	ID    string  `db:"id"`
	Name  string  `db:"name"`
	Score float64 `db:"score"` // 1 where the name has the text as a part
	Total int     `db:"total"`
}

// Namesake is a sort of things that have names.
type Namesake string

// The sorts. Of chats, those that the person behind the scope takes part in.
const (
	NamedMatters       Namesake = "matters"
	NamedDocumentTypes Namesake = "document_types"
	NamedChats         Namesake = "chats"
)

// Named lists what has a name like text, the best fit first.
func (q Queries) Named(ctx context.Context, in Scope, what Namesake, text string, limit int) ([]FoundName, error) {
	only := ""
	arg := given(what != NamedChats) // of which one takes part in few
	if what != NamedChats {
		q = q.prepared()
	}
	switch what { //nolint:exhaustive // document types are everybody's
	case NamedMatters:
		only = in.seesMatter("n.id")
	case NamedChats:
		only = in.seesChat("n") + ` AND EXISTS (SELECT FROM chat_participants p WHERE p.team_id = @team AND p.chat_id = n.id AND p.user_id = @user)`
	}
	return many[FoundName](ctx, q, `
		SELECT *, count(*) OVER () AS total FROM (
			SELECT n.id, n.name, CASE WHEN plain ILIKE '%' || unaccented(@like) || '%' THEN 1 ELSE word_similarity(unaccented(@text), plain) END::float8 AS score
			FROM `+string(what)+` n CROSS JOIN unaccented(n.name) plain WHERE n.team_id = `+arg("team", "uuid")+` AND n.name <> ''`+only+`
		) named WHERE score >= @least ORDER BY score DESC, lower(name), id LIMIT `+arg("limit", "bigint"), in.args(args{
		"user": nullable(in.UserID()), "text": text, "like": likeLiteral.Replace(text), "least": leastSimilar + 0.1, "limit": limit,
	}))
}
