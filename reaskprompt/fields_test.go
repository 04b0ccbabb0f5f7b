package reaskprompt

import (
	"reflect"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

func TestCheckFields(t *testing.T) {
	tests := []struct{ name, text, want string }{
		// What exists, or may: never a problem.
		{"fields", "{{.OutputContent}} {{.Err}} {{$.Attempt}} {{.Failure.Attempt}}", ""},
		{"nested", "{{.Usage.Input.N}} {{.Response.Choices}}", ""},
		{"methods", "{{.Usage.Input.String}} {{.Err.Error}} {{.Schema}}", ""},
		{"interface", "{{.Err.Whatever}}", ""},
		{"range", "{{range .Issues}}{{.Path}} {{.Issue.Path}} {{.String}} {{$.Attempt}}{{else}}{{.Attempt}}{{end}}", ""},
		{"range variables", "{{range $i, $x := .Issues}}{{$x.Code}} {{$i}}{{end}}{{range $x := .Earlier}}{{$x.Raw}}{{end}}", ""},
		{"range over a number", "{{range 3}}{{.}}{{end}}", ""},
		{"with", "{{with .Usage}}{{.Total}}{{else with .Response}}{{.Choices}}{{else}}{{.Attempt}}{{end}}", ""},
		{"with variable", "{{with $u := .Usage}}{{$u.Total}}{{end}}", ""},
		{"variable", "{{$u := .Usage}}{{$u.Total.N}}{{if $u}}{{$u.Input}}{{end}}", ""},
		{"variable assigned", "{{$u := .Usage}}{{$u = .Earlier}}{{$u.Whatever}}", ""},
		{"index", "{{(index .Issues 0).Got}} {{(index .Earlier 0).Step}}", ""},
		{"function", "{{(len .Issues).Whatever}}{{(print .).Whatever}}", ""},
		{"piped", "{{(.Usage | print).Whatever}}", ""},
		{"map", "{{range .Response.Choices}}{{.GenerationInfo.Whatever}}{{end}}", ""},
		{"template", `{{define "x"}}{{.Path}}{{end}}{{range .Issues}}{{template "x" .}}{{end}}`, ""},
		{"template without data", `{{define "x"}}{{.Whatever}}{{end}}{{template "x"}}`, ""},
		{"recursion", `{{define "x"}}{{if .}}{{template "x" .}}{{end}}{{end}}{{template "x" .}}`, ""},
		{"break", "{{range .Issues}}{{break}}{{continue}}{{end}}", ""},
		{"and, or", "{{if and .Issues (or .Schema .Earlier)}}{{end}}", ""},

		// What does not, wherever it stands.
		{"field", "{{.Outptu}}", "no field Outptu"},
		{"case", "{{.outputContent}}", "no field outputContent"},
		{"field of a field", "{{.Usage.Totl}}", "no field Totl"},
		{"field of text", "{{.OutputContent.Len}}", "no field Len"},
		{"behind a pointer", "{{.Response.Choises}}", "no field Choises"},
		{"if", `{{if .Isues}}{{end}}`, "no field Isues"},
		{"then", `{{if eq .FinishReason "length"}}{{.Outptu}}{{end}}`, "no field Outptu"},
		{"else", "{{if .Issues}}{{else}}{{.Outptu}}{{end}}", "no field Outptu"},
		{"else if", "{{if .Issues}}{{else if .Schema}}{{.Outptu}}{{end}}", "no field Outptu"},
		{"argument", "{{quote .Outptu}}", "no field Outptu"},
		{"nested argument", "{{quote (clip 9 .Outptu)}}", "no field Outptu"},
		{"piped in", "{{.Outptu | quote}}", "no field Outptu"},
		{"in range", "{{range .Issues}}{{.Attempt}}{{end}}", "no field Attempt"},
		{"range else", "{{range .Issues}}{{else}}{{.Path}}{{end}}", "no field Path"},
		{"range variable", "{{range $i, $x := .Earlier}}{{$x.Pth}}{{end}}", "no field Pth"},
		{"with", "{{with .Usage}}{{.Attempt}}{{end}}", "no field Attempt"},
		{"root", "{{range .Issues}}{{$.Outptu}}{{end}}", "no field Outptu"},
		{"variable", "{{$u := .Usage}}{{$u.Totl}}", "no field Totl"},
		{"shadowed", "{{$u := .Usage}}{{if .Issues}}{{$u := .Earlier}}{{end}}{{$u.Totl}}", "no field Totl"},
		{"index", "{{(index .Issues 0).Pth}}", "no field Pth"},
		{"in a template", `{{define "x"}}{{.Pth}}{{end}}{{range .Issues}}{{template "x" .}}{{end}}`, "no field Pth"},
		{"no template", `{{if false}}{{template "nope" .}}{{end}}`, `no template "nope"`},
		{"all of them", "{{.A}}{{.B}}", "no field A\nreask:1:8: .B: no field B"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := template.New("reask").Funcs(helpers).Parse(tt.text)
			require.NoError(t, err)
			err = checkFields(p)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

// The view must not hide a field of Failure that is added later behind another type.
func TestViewHasTheFieldsOfFailure(t *testing.T) {
	view := reflect.TypeFor[view]()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[llmretry.Failure]()) {
		if !f.IsExported() {
			continue
		}
		got, ok := view.FieldByName(f.Name)
		require.True(t, ok, f.Name)
		if f.Name != "Issues" && f.Name != "Schema" {
			assert.Equal(t, f.Type, got.Type, f.Name)
		}
	}
}

// Samples are what the loop hands over: a template that works for both works for a refused output.
func TestSamples(t *testing.T) {
	s := samples()
	require.Len(t, s, 2)
	full := reflect.ValueOf(s[0].failure)
	for i := range full.NumField() {
		if f := full.Type().Field(i); f.IsExported() && f.Name != "Choice" {
			assert.False(t, full.Field(i).IsZero(), f.Name)
		}
	}
	for _, s := range s {
		assert.NotNil(t, s.failure.Response)
		assert.Error(t, s.failure.Err)
		assert.NotEmpty(t, s.failure.ErrorMessage)
		assert.Positive(t, s.failure.Remaining, "E3: a builder runs only when an attempt is left")
	}
}
