// Package sheet writes tables that spreadsheets open: CSV and XLSX, row by row,
// however many there are.
//
// A cell is what it looks like and nothing that is carried out: text from
// contracts that begins like a formula is kept from being one. What a table is
// about is for whoever writes it.
package sheet
