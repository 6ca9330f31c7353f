package e2e_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

// listed is what a client reads of a sentence and sends back as an anchor.
type listed struct {
	Text string          `json:"text"`
	Span json.RawMessage `json:"span"`
}

// TestSentencesAsAnchors has a client that knows nothing of Word copy the anchor
// of changes from the sentences of its files, many of which say the same.
func TestSentencesAsAnchors(t *testing.T) {
	t.Parallel()
	agreement, err := docx.Build([]docx.Passage{
		{Kind: docx.Heading, Text: "MASTER SERVICES AGREEMENT"},
		{Kind: docx.Heading, Level: 1, Number: "1.", Text: "Fees"},
		{Kind: docx.ListItem, Level: 2, Number: "1.1", Text: "The Customer pays the fees. Time is of the essence."},
		{Kind: docx.ListItem, Level: 2, Number: "1.2", Text: "The Supplier sends invoices. Time is of the essence."},
		{Kind: docx.Table, Text: "Service\tFee\tDue\nSupport\t100\tmonthly\nHosting\t100\tmonthly\nSupport\t100\tmonthly"},
		{Kind: docx.Heading, Level: 1, Number: "2.", Text: "Term"},
		{Kind: docx.BodyPassage, Text: "This Agreement lasts one year. Time is of the essence.  Notices are in writing."},
		{Kind: docx.Signature, Text: "SUPPLIER\nBy: ________\nName: ________\nTitle: ________"},
		{Kind: docx.Signature, Text: "CUSTOMER\nBy: ________\nName: ________\nTitle: ________"},
	})
	require.NoError(t, err)
	by := redline.Author{Name: "Counsel"}
	marked, err := redline.Execute(agreement, []redline.Change{
		{ID: "1", Type: redline.Replace, Anchor: redline.Anchor{Text: "one year"}, Text: "two years", Author: by},
		{ID: "2", Type: redline.Delete, Anchor: redline.Anchor{Text: "Time is of the essence.", Occurrence: 1}, Author: by},
		{ID: "3", Type: redline.InsertParagraph, Anchor: redline.Anchor{Text: "CUSTOMER"}, Side: redline.Before, Text: "Time is of the essence.", Author: by},
		{ID: "4", Type: redline.DeleteRow, Anchor: redline.Anchor{Text: "Hosting"}, Author: by},
	}, redline.Options{})
	require.NoError(t, err)
	require.Empty(t, marked.Failed)
	var pages []pdfPage
	for i := range uint64(2) {
		pages = append(pages, pdfPage{lines: append(clauses(80+i, 20), "Time is of the essence.")})
	}

	_, c, browser := newService(t)
	for name, data := range map[string][]byte{"agreement.docx": agreement, "marked.docx": marked.Document, "scan.pdf": encodePDF(pages...)} {
		t.Run(name, func(t *testing.T) {
			f := c.wait(c.upload(upload{name, data}).ID, 3*time.Minute)
			var list struct{ Items []listed }
			browser.get("/api/sentences?limit=500&fileId="+f.ID).into(t, http.StatusOK, &list)
			require.Greater(t, len(list.Items), 15)
			base := "/api/files/" + f.ID
			asked := 0
			for _, sentence := range list.Items {
				word, _, _ := strings.Cut(sentence.Text, " ")
				for _, change := range []map[string]any{
					{"type": "comment", "text": "Why?"},
					{"type": "replace", "text": strings.Replace(sentence.Text, word, word+" (amended)", 1)},
				} {
					change["anchor"] = sentence
					body, err := json.Marshal(change)
					require.NoError(t, err)
					var made struct {
						Items []struct {
							Anchor   struct{ Text string }
							Resolved struct{ How string }
						}
					}
					browser.post(base+"/changes", string(body)).into(t, http.StatusCreated, &made)
					require.NotEmpty(t, made.Items)
					for _, is := range made.Items {
						require.Equal(t, "exact", is.Resolved.How)
						require.Contains(t, strings.Join(strings.Fields(sentence.Text), " "), strings.Join(strings.Fields(is.Anchor.Text), " "))
					}
					asked += len(made.Items)
				}
			}
			other := listed{Text: list.Items[0].Text, Span: list.Items[1].Span}
			body, err := json.Marshal(map[string]any{"type": "comment", "text": "Why?", "anchor": other})
			require.NoError(t, err)
			refused := browser.post(base+"/changes", string(body))
			require.Equal(t, http.StatusConflict, refused.status, "other words stand there")
			require.Contains(t, string(refused.body), "anchor_mismatch")

			var r redlined
			a := browser.get(base + "/execute-redline?wait=30")
			for a.status == http.StatusAccepted {
				a = browser.get(base + "/execute-redline?wait=30")
			}
			a.into(t, http.StatusOK, &r)
			require.Empty(t, r.Failed)
			require.Len(t, r.Applied, asked)
			require.NotContains(t, r.Checks, false)
			for check, holds := range r.Checks {
				require.True(t, holds, check)
			}
			document := documentXML(t, r.Document.Base64)
			require.Equal(t, len(list.Items), strings.Count(document, "commentRangeStart"))
			require.GreaterOrEqual(t, strings.Count(document, "(amended)"), len(list.Items))
		})
	}
}
