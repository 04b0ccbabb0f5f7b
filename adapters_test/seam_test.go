package adapters_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/tmc/langchaingo/httputil"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// seam is where a Transport can be put under a client.
type seam string

const (
	ownClient     seam = "its http.Client"                     // an option of the client
	defaultClient seam = "httputil.DefaultClient"              // a variable of langchaingo, for all clients that have no other
	noSeam        seam = "none: it sends no context on"        // whatever is put under it, no attempt can be found from there
	awsClient     seam = "bedrockruntime.Options.HTTPClient"   // of the SDK
	googleClient  seam = "googleai.WithHTTPClient"             // of the SDK
	notHTTP       seam = "none: not over HTTP/1 on a loopback" // cannot be driven here
)

// defaults stands behind httputil.DefaultClient and http.DefaultTransport, which some clients use without asking: it
// sends requests where the test with that server wants them, and none anywhere but to 127.0.0.1.
var defaults = &defaultTransport{base: &http.Transport{DisableKeepAlives: true}}

type defaultTransport struct {
	base  http.RoundTripper
	hosts sync.Map // host to http.RoundTripper
}

// interceptDefaults is for TestMain. Kept connections would outlive bubbles, so there are none.
func interceptDefaults() {
	http.DefaultTransport = defaults
	httputil.DefaultClient.Transport = defaults
}

func (d *defaultTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "iam.cloud.ibm.com" { // watsonx fetches a token before anything else
		return &http.Response{
			StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: http.Header{},
			Body: io.NopCloser(strings.NewReader(`{"access_token": "` + secret + `", "expiration": 4102444800}`)),
		}, nil
	}
	if r.URL.Hostname() != "127.0.0.1" {
		return nil, fmt.Errorf("a test wants to talk to %s", r.URL.Host)
	}
	if own, ok := d.hosts.Load(r.URL.Host); ok {
		return own.(http.RoundTripper).RoundTrip(r)
	}
	if r.URL.Scheme == "https" { // watsonx knows no other
		r = r.Clone(r.Context())
		r.URL.Scheme = "http"
	}
	return d.base.RoundTrip(r)
}

// redirect sends requests to a server that the client cannot be told of.
type redirect struct {
	to   *url.URL
	base http.RoundTripper
}

func (d *redirect) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = d.to.Scheme, d.to.Host, ""
	return d.base.RoundTrip(r)
}

// clientFor returns the http.Client for a server, through a Transport of ours or not.
func clientFor(t testing.TB, address string, transport bool) *http.Client {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var chain http.RoundTripper = &redirect{to, &http.Transport{DisableKeepAlives: true}}
	if transport {
		chain = llmretry.NewTransport(chain)
	}
	return &http.Client{Transport: chain}
}

// edit is an option of a client whose option type cannot be named outside of langchaingo. The example only lends its
// type.
func edit[T any](_ func(*T), f func(fields reflect.Value)) func(*T) {
	return func(options *T) { f(reflect.ValueOf(options).Elem()) }
}

// closeHidden closes what a client opened and never closes: a value at the end of a path of unexported fields.
func closeHidden(t testing.TB, client any, path ...string) {
	t.Helper()
	v := reflect.ValueOf(client)
	for _, name := range path {
		v = reflect.Indirect(v).FieldByName(name)
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	c, ok := v.Interface().(io.Closer)
	if !ok {
		t.Fatalf("%T has no Close", v.Interface())
	}
	_ = c.Close()
}
