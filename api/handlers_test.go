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

// frame is the files of this room that are about requests and answers, whatever
// they ask. All others are areas.
const frame = "access admin api batch body call condition content cookies create deprecated documentation either enums error health home hub icon " +
	"limit metrics names object once pace parameters quota route selection sort scheduler upload_body"

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
		stem := strings.TrimSuffix(name, ".go")
		if strings.HasSuffix(stem, "_test") || slices.Contains(strings.Fields(frame), stem) {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		require.NoError(t, err)
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
