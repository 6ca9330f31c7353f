// Package web is the console, the pages that people use: a client of the API in
// TypeScript, below app. `make console` builds it into dist, which the program has
// built in and Handler serves. The console calls the operations that everybody may call,
// with the session of whoever is signed in.
package web
