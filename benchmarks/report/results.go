package main

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// key names a row: Benchmark<scenario>/<group>/<subject>-<procs>.
type key struct{ scenario, group, subject, procs string }

// results are the samples of all rows, in the order the rows first came.
type results struct {
	samples map[key]map[string][]float64 // by unit
	order   []key
	cpu     string
	goos    string
}

func read(files []string) (*results, error) {
	rs := &results{samples: map[key]map[string][]float64{}}
	in := benchfmt.Files{Paths: files, AllowStdin: true}
	for in.Scan() {
		switch r := in.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, r
		case *benchfmt.Result:
			rs.add(r)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(rs.order) == 0 {
		return nil, fmt.Errorf("no benchmark results in %v", files)
	}
	return rs, nil
}

var procs = regexp.MustCompile(`-\d+$`)

func (rs *results) add(r *benchfmt.Result) {
	rs.cpu, rs.goos = r.GetConfig("cpu"), r.GetConfig("goos")+"/"+r.GetConfig("goarch")
	name := r.Name.String()
	k := key{procs: "1"} // the testing package names no single processor
	if p := procs.FindString(name); p != "" {
		k.procs, name = p[1:], strings.TrimSuffix(name, p)
	}
	parts := strings.SplitN(name, "/", 3)
	if len(parts) != 3 {
		return // the sum of a group, or a benchmark of another kind
	}
	k.scenario, k.group, k.subject = parts[0], parts[1], parts[2]
	row := rs.samples[k]
	if row == nil {
		row = map[string][]float64{}
		rs.samples[k] = row
		rs.order = append(rs.order, k)
	}
	for _, v := range r.Values {
		unit, value := v.Unit, v.Value
		if v.OrigUnit != "" {
			unit, value = v.OrigUnit, v.OrigValue
		}
		row[unit] = append(row[unit], value)
	}
}

// median of a row; ok is false when it was not measured.
func (rs *results) median(k key, unit string) (m float64, ok bool) {
	if len(rs.samples[k][unit]) == 0 {
		return 0, false
	}
	return rs.summary(k, unit).Center, true
}

func (rs *results) summary(k key, unit string) benchmath.Summary {
	sample := benchmath.NewSample(append([]float64(nil), rs.samples[k][unit]...), &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, 0.95)
}

// rows returns the rows of a scenario, in order of the run.
func (rs *results) rows(scenario string) []key {
	var list []key
	for _, k := range rs.order {
		if k.scenario == scenario {
			list = append(list, k)
		}
	}
	return list
}
