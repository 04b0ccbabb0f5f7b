package llmretry

import (
	"net/http"
	"reflect"
	"sync"
)

// shape says where an error type of somebody else keeps what it knows about an HTTP exchange: paths of exported
// fields, nil = it has no such field. Reading fields by reflection reaches the types of SDKs that this package must
// not import, and of internal packages that nobody can.
type shape struct {
	status   []int // StatusCode; or Code, when there is a Header beside it to show that HTTP is meant
	header   []int // Header http.Header
	response []int // Response *http.Response, or a struct around one
	details  []int // Details []any
	messages [][]int
}

// shapes remembers the shape of each error type. It grows with the number of types in the program, not of errors.
var shapes sync.Map // of reflect.Type to *shape

var noShape = &shape{}

// shapeOf returns the shape of err's type and the struct to read the fields from.
func shapeOf(err error) (*shape, reflect.Value) {
	v := reflect.ValueOf(err)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct { // a nil pointer too
		return noShape, v
	}
	if s, ok := shapes.Load(v.Type()); ok {
		return s.(*shape), v
	}
	s := newShape(v.Type())
	shapes.Store(v.Type(), s)
	return s, v
}

var (
	headerType   = reflect.TypeFor[http.Header]()
	responseType = reflect.TypeFor[*http.Response]()
	detailsType  = reflect.TypeFor[[]any]()
)

func newShape(t reflect.Type) *shape {
	s := shape{
		status:   field(t, "StatusCode", isInt),
		header:   field(t, "Header", is(headerType)),
		response: responseField(t),
		details:  field(t, "Details", is(detailsType)),
	}
	if s.status == nil && s.header != nil {
		s.status = field(t, "Code", isInt)
	}
	if s.status == nil && s.response == nil {
		return noShape // a Message or Details alone may be about anything
	}
	for _, name := range [...]string{"ErrorMessage", "Message", "Body"} {
		if path := field(t, name, isString); path != nil {
			s.messages = append(s.messages, path)
		}
	}
	return &s
}

// field returns the path of t's exported field of that name, its own or promoted, if its type fits.
func field(t reflect.Type, name string, fits func(reflect.Type) bool) []int {
	f, ok := t.FieldByName(name)
	if !ok || !f.IsExported() || !fits(f.Type) {
		return nil
	}
	return f.Index
}

// responseField finds Response *http.Response. The AWS SDK wraps it in a struct of its own that embeds it.
func responseField(t reflect.Type) []int {
	f, ok := t.FieldByName("Response")
	if !ok || f.Type == responseType {
		return f.Index
	}
	inner := f.Type
	if inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	if inner.Kind() != reflect.Struct {
		return nil
	}
	g, ok := inner.FieldByName("Response")
	if !ok || g.Type != responseType {
		return nil
	}
	return append(append([]int(nil), f.Index...), g.Index...)
}

func is(want reflect.Type) func(reflect.Type) bool {
	return func(t reflect.Type) bool { return t == want }
}

func isString(t reflect.Type) bool { return t.Kind() == reflect.String }

func isInt(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64 }

// at follows a path; the zero Value when there is none or a pointer on it is nil.
func at(v reflect.Value, path []int) reflect.Value {
	if path == nil {
		return reflect.Value{}
	}
	f, err := v.FieldByIndexErr(path)
	if err != nil {
		return reflect.Value{}
	}
	return f
}

func (s *shape) statusOf(v reflect.Value) int {
	if f := at(v, s.status); f.IsValid() {
		if status := validStatus(int(f.Int())); status != 0 {
			return status
		}
	}
	if r := s.responseOf(v); r != nil {
		return validStatus(r.StatusCode)
	}
	return 0
}

func (s *shape) headerOf(v reflect.Value) http.Header {
	if f := at(v, s.header); f.IsValid() && f.Len() > 0 {
		h, _ := f.Interface().(http.Header)
		return h
	}
	if r := s.responseOf(v); r != nil {
		return r.Header
	}
	return nil
}

func (s *shape) responseOf(v reflect.Value) *http.Response {
	if f := at(v, s.response); f.IsValid() {
		r, _ := f.Interface().(*http.Response)
		return r
	}
	return nil
}

func (s *shape) detailsOf(v reflect.Value) []any {
	if f := at(v, s.details); f.IsValid() {
		details, _ := f.Interface().([]any)
		return details
	}
	return nil
}

// messageOf returns the provider's own message, or the body it came in.
func (s *shape) messageOf(v reflect.Value) string {
	for _, path := range s.messages {
		if f := at(v, path); f.IsValid() && f.Len() > 0 {
			return f.String()
		}
	}
	return ""
}
