// Package page writes the results as a page to read: one self-contained HTML file, no script and no request, and beside it
// the worst cases, each in the attempt viewer.
package page
