// Package genkit has the rows of genkit. It is a module of its own: genkit's dotprompt does not compile with the version
// of invopop/jsonschema that llmretry's outputparser and fantasy ask for.
package genkit
