package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
)

// The measures of a chart in its own units; the browser scales it.
const (
	chartWidth, chartHeight = 560.0, 340.0
	left, right             = 62.0, 16.0
	top, bottom             = 14.0, 50.0
)

// chart is what the template draws.
type chart struct {
	ID, Title, XLabel string
	Width, Height     float64
	Left, Right       float64 // of the plot
	Top, Bottom       float64
	XTicks, YTicks    []tick
	Curves            []curve
}

type tick struct {
	At    float64
	Label string
}

type curve struct {
	Class  string
	Name   string
	Path   string
	Label  string // all of it in words
	Points []dot
}

type dot struct {
	CX, CY float64
	X      int
	Valid  int
	Share  string
	Radius float64
	Title  string
}

// scale maps a range of values to a range of the drawing.
type scale struct{ low, high, from, to float64 }

func (s scale) at(v float64) float64 {
	if s.high == s.low {
		return round(s.from)
	}
	return round(s.from + (v-s.low)/(s.high-s.low)*(s.to-s.from))
}

// round keeps numbers short; a tenth of a unit is less than a pixel.
func round(f float64) float64 { return math.Round(f*10) / 10 }

// newChart draws one curve for each row. floor is where the axis of shares begins; stepped curves keep their height
// until the next point.
func newChart(id, title, xLabel, unit string, rows []report.Row, points func(*report.Row) []report.Point, stepped bool) chart {
	c := chart{
		ID: id, Title: title, XLabel: xLabel, Width: chartWidth, Height: chartHeight,
		Left: left, Right: chartWidth - right, Top: top, Bottom: chartHeight - bottom,
	}
	firstX, lastX, lowest := math.Inf(1), math.Inf(-1), 1.0
	for i := range rows {
		for _, p := range points(&rows[i]) {
			firstX, lastX, lowest = min(firstX, float64(p.X)), max(lastX, float64(p.X)), min(lowest, p.Share)
		}
	}
	if lastX < firstX {
		firstX, lastX = 0, 1
	}
	floor := math.Floor(lowest*10) / 10
	if floor >= 1 {
		floor = 0.9
	}
	x, y := scale{firstX, lastX, c.Left + 8, c.Right - 8}, scale{floor, 1, c.Bottom, c.Top}
	c.XTicks, c.YTicks = xTicks(x), yTicks(y)
	for i := range rows {
		c.Curves = append(c.Curves, newCurve(i, rows[i].Name, unit, points(&rows[i]), x, y, stepped))
	}
	return c
}

func newCurve(i int, name, unit string, points []report.Point, x, y scale, stepped bool) curve {
	v := curve{Class: fmt.Sprint("s", i), Name: name}
	var path, label strings.Builder
	fmt.Fprintf(&label, "%s: ", name)
	radius := 4.0
	if len(points) > 12 {
		radius = 1.5
	}
	for k, p := range points {
		d := dot{
			CX: x.at(float64(p.X)), CY: y.at(p.Share), Radius: radius,
			X: p.X, Valid: p.Valid, Share: strconv.FormatFloat(p.Share, 'f', -1, 64),
			Title: fmt.Sprintf("%s: %.1f %% valid within %s", name, 100*p.Share, counted(p.X, unit)),
		}
		switch {
		case k == 0:
			fmt.Fprintf(&path, "M%v %v", d.CX, d.CY)
		case stepped:
			fmt.Fprintf(&path, "H%vV%v", d.CX, d.CY)
		default:
			fmt.Fprintf(&path, "L%v %v", d.CX, d.CY)
		}
		if every := max(1, len(points)/5); k%every == 0 || k == len(points)-1 {
			fmt.Fprintf(&label, "%.0f %% within %s; ", 100*p.Share, counted(p.X, unit))
		}
		v.Points = append(v.Points, d)
	}
	v.Path, v.Label = path.String(), strings.TrimSuffix(label.String(), "; ")
	return v
}

func counted(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

func yTicks(y scale) (ticks []tick) {
	step := 0.2
	if y.high-y.low <= 0.6 {
		step = 0.1
	}
	for v := y.high; v >= y.low-1e-9; v -= step {
		ticks = append(ticks, tick{y.at(v), fmt.Sprintf("%.0f %%", 100*v)})
	}
	return ticks
}

// xTicks are round numbers, at most seven.
func xTicks(x scale) (ticks []tick) {
	span := x.high - x.low
	step := 1.0
	for _, factor := 0, 1.0; span/step > 6; {
		for _, m := range []float64{1, 2, 5} {
			if step = m * factor; span/step <= 6 {
				break
			}
		}
		factor *= 10
	}
	for v := math.Ceil(x.low/step) * step; v <= x.high+1e-9; v += step {
		ticks = append(ticks, tick{x.at(v), fmt.Sprintf("%.0f", v)})
	}
	return ticks
}

// whisker is a share with its interval, on a line from 0 to 100 %.
type whisker struct{ Low, High, At float64 }

const whiskerWidth = 120.0

func newWhisker(s report.Share) whisker {
	at := scale{0, 1, 4, whiskerWidth - 4}
	return whisker{at.at(s.Interval.Low), at.at(s.Interval.High), at.at(s.Share)}
}
