package worker_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/worker"
)

// TestFormWarns tells of a form whose layout is not known or that is not whole, and of no
// other page.
func TestFormWarns(t *testing.T) {
	t.Parallel()
	list := worker.Warnings([]db.Page{{Number: 1, Reason: "dynamic_form", Text: "Tenant Jane Roe"}, {Number: 2, Reason: "text_layer_ok", Text: "The end."}})
	require.Len(t, list, 1)
	require.Equal(t, "layout_unknown", list[0].Code)
	require.Equal(t, []int{1}, list[0].Pages)

	list = worker.Warnings([]db.Page{{Number: 1, Reason: "dynamic_form_incomplete", Text: "Please wait..."}})
	require.Len(t, list, 1)
	require.Equal(t, "form_incomplete", list[0].Code)
	require.Equal(t, []int{1}, list[0].Pages)
}

// TestHiddenWarning holds that text which a reader does not see is told with its pages.
func TestHiddenWarning(t *testing.T) {
	t.Parallel()
	list := worker.Warnings([]db.Page{{Number: 1, Reason: "text_layer_ok", Text: "a"}, {Number: 2, Reason: "hidden_text", Text: "b"}})
	require.Len(t, list, 1)
	require.Equal(t, "hidden_text", list[0].Code)
	require.Equal(t, []int{2}, list[0].Pages)
}
