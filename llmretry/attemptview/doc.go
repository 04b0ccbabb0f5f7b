// Package attemptview writes calls as a page to read: one self-contained HTML file with every attempt of one or many
// calls on a timeline - what was sent and how it differs from the attempt before, what came back, where in the output
// each issue is, waits, tokens and how it ended.
//
// The page shows contents, so nothing writes one unless it is asked to, and [Redact] goes over every text that comes
// from a call. It is data and not a program: no script, no request to anywhere, and a content security policy that allows
// neither. Whatever a model said is shown as text, with the characters made visible that would hide or reorder it.
package attemptview
