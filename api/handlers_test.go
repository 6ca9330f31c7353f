package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rooms are those whose values are of contracts. A file that names none of them is
// about requests and answers, whatever they ask.
var rooms = []string{"answer", "corpus", "db", "docx", "document", "draft", "layout", "model", "nlp", "query", "redline", "search", "sfdt"}

// frame is the files that name such a room and are no areas: they read who asks, how
// much of it there may be, and what is uploaded.
var frame = []string{"access.go", "limit.go", "upload_body.go"}

// mostStatements bounds a function of an area, those of the functions in it
// included.
const mostStatements = 30

// TestAreasComputeNothing holds that what computes is elsewhere: in SQL or in a
// pure room. A function of an area is short, has no loop in a loop, and does not
// reckon in one; one that a table of routes names has a single loop at most. So it
// may ask, refuse, and make answers of rows, and anything more stands out here.
func TestAreasComputeNothing(t *testing.T) {
	t.Parallel()

	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var functions []*ast.FuncDecl
	handlers := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || slices.Contains(frame, name) {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		require.NoError(t, err)
		if !slices.ContainsFunc(file.Imports, ofContracts) {
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				functions = append(functions, f)
				routed(f, handlers)
			}
		}
	}
	require.Greater(t, len(handlers), 150, "the tables of routes")
	for _, f := range functions {
		s := shapeOf(f)
		if s.statements > mostStatements || s.nested > 0 || s.reckoned > 0 || handlers[f.Name.Name] && s.loops > 1 {
			t.Errorf("%s has %d statements and %d loops, %d of them in loops; it reckons in loops at %d places", f.Name.Name, s.statements, s.loops, s.nested, s.reckoned)
		}
	}
}

// ofContracts reports whether an import is of one of rooms.
func ofContracts(i *ast.ImportSpec) bool {
	room, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "github.com/clausemill/clausemill/")
	return ours && slices.Contains(rooms, room)
}

// routed adds the handlers that a table of routes names: methods of the API that
// are not called where they stand, but handed on.
func routed(table *ast.FuncDecl, handlers map[string]bool) {
	own := func(e ast.Expr) (string, bool) {
		s, ok := e.(*ast.SelectorExpr)
		if !ok {
			return "", false
		}
		of, ok := s.X.(*ast.Ident)
		return s.Sel.Name, ok && of.Name == "a"
	}
	isTable := false
	ast.Inspect(table, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if name, ok := own(call.Fun); ok && name == "area" {
			isTable = true
		}
		for _, e := range call.Args {
			if name, ok := own(e); ok && isTable {
				handlers[name] = true
			}
		}
		return true
	})
}

// shape is what a function looks like.
type shape struct{ statements, loops, nested, reckoned int }

func shapeOf(f *ast.FuncDecl) (s shape) {
	var look func(n ast.Node, inside bool)
	look = func(n ast.Node, inside bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == n {
				return true
			}
			if reckons(m) && inside {
				s.reckoned++
			}
			switch m.(type) {
			case *ast.BlockStmt:
				return true
			case *ast.ForStmt, *ast.RangeStmt:
				s.statements++
				s.loops++
				if inside {
					s.nested++
				}
				look(m, true)
				return false
			case ast.Stmt:
				s.statements++
			}
			return true
		})
	}
	look(f, false)
	return s
}

// reckons reports whether n is arithmetic. Text that is put together is not, as
// far as the source shows that it is text.
func reckons(n ast.Node) bool {
	arithmetic := []token.Token{
		token.ADD, token.SUB, token.MUL, token.QUO, token.REM,
		token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN, token.QUO_ASSIGN, token.REM_ASSIGN,
	}
	switch n := n.(type) {
	case *ast.IncDecStmt:
		return true
	case *ast.AssignStmt:
		return slices.Contains(arithmetic, n.Tok) && !isText(n.Rhs[0])
	case *ast.BinaryExpr:
		return slices.Contains(arithmetic, n.Op) && !isText(n)
	}
	return false
}

func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (isText(e.X) || isText(e.Y))
	}
	return false
}
