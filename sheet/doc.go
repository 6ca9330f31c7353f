// Package sheet writes CSV and XLSX tables for spreadsheets, streaming them row by
// row.
//
// Cells are values and never formulas: text that begins like a formula is escaped,
// so that no contract can inject one (CSV injection). The contents of a table are
// up to the caller.
package sheet
