package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// print writes the spans as a tree and the metrics as a list.
func (r *recording) print(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("SPANS\n")
	r.tree(&b, trace.SpanID{}, "")
	b.WriteString("\nMETRICS\n")
	for _, scope := range r.metrics.ScopeMetrics {
		if !strings.Contains(scope.Scope.Name, "otelretry") {
			continue // the HTTP client's
		}
		for _, m := range scope.Metrics {
			fmt.Fprintf(&b, "%s (%s)\n", m.Name, m.Unit)
			for _, line := range lines(m.Data) {
				fmt.Fprintf(&b, "  %s\n", line)
			}
		}
	}
	_, err := b.WriteTo(w)
	return err
}

// tree writes the spans below a parent, and what is below them.
func (r *recording) tree(w *bytes.Buffer, parent trace.SpanID, indent string) {
	spans := slices.DeleteFunc(slices.Clone(r.spans), func(s sdktrace.ReadOnlySpan) bool { return s.Parent().SpanID() != parent })
	slices.SortStableFunc(spans, func(a, b sdktrace.ReadOnlySpan) int { return a.StartTime().Compare(b.StartTime()) })
	for _, s := range spans {
		fmt.Fprintf(w, "%s%s  %v", indent, s.Name(), s.EndTime().Sub(s.StartTime()).Round(100*time.Microsecond))
		if s.Status().Code == codes.Error {
			fmt.Fprintf(w, "  %s", strings.TrimSpace("ERROR "+s.Status().Description))
		}
		fmt.Fprintln(w)
		below := indent + "    "
		printAttributes(w, below+"  ", s.Attributes())
		r.tree(w, s.SpanContext().SpanID(), below)
		for _, e := range s.Events() {
			fmt.Fprintf(w, "%s* %s\n", below, e.Name)
			printAttributes(w, below+"    ", e.Attributes)
		}
	}
}

// shown are the attributes worth a reader's time; those of the connection are not.
var shown = []string{"openarmature.", "gen_ai.", "llmretry.", "error.", "exception.", "http.response."}

func printAttributes(w *bytes.Buffer, indent string, attrs []attribute.KeyValue) {
	attrs = slices.DeleteFunc(slices.Clone(attrs), func(a attribute.KeyValue) bool {
		return !slices.ContainsFunc(shown, func(prefix string) bool { return strings.HasPrefix(string(a.Key), prefix) })
	})
	slices.SortFunc(attrs, func(a, b attribute.KeyValue) int { return cmp.Compare(a.Key, b.Key) })
	for _, a := range attrs {
		fmt.Fprintf(w, "%s%s = %s\n", indent, a.Key, a.Value.String())
	}
}

// lines are the series of a metric.
func lines(data metricdata.Aggregation) (list []string) {
	add := func(set attribute.Set, value string) {
		list = append(list, fmt.Sprintf("{%s} %s", set.Encoded(attribute.DefaultEncoder()), value))
	}
	switch data := data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, fmt.Sprint(p.Value))
		}
	case metricdata.Histogram[int64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, fmt.Sprintf("n=%d sum=%d", p.Count, p.Sum))
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, fmt.Sprintf("n=%d sum=%.3f", p.Count, p.Sum))
		}
	}
	slices.Sort(list)
	return list
}
