package llmretry

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// brokenBody ends with err instead of io.EOF.
type brokenBody struct {
	io.Reader
	err error
}

func (b brokenBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = b.err
	}
	return n, err
}

func (brokenBody) Close() error { return nil }

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Semantics F8, B7: an answer that breaks off is seen although the client takes what it has for an answer.
func TestTransportSeesABodyBreakOff(t *testing.T) {
	broken := errors.New("connection reset by peer")
	for _, tt := range []struct {
		name   string
		status int
		end    error
		close  bool // before the reading
		want   error
	}{
		{"whole", 200, io.EOF, false, nil},
		{"broken", 200, broken, false, broken},
		{"broken after the client closed it", 200, broken, true, nil},
		{"a failure keeps its status", 503, broken, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			transport := NewTransport(roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: tt.status, Body: brokenBody{strings.NewReader("half"), tt.end}}, nil
			}))
			ctx, s := slotted(t.Context())
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/", nil)
			require.NoError(t, err)
			response, err := transport.RoundTrip(request)
			require.NoError(t, err)
			if tt.close {
				require.NoError(t, response.Body.Close())
			}
			_, _ = io.ReadAll(response.Body)
			require.Equal(t, tt.want, s.get().err)
			require.Equal(t, tt.status, s.get().status)
			if tt.want != nil {
				require.ErrorIs(t, hiddenFailure(s.get()), broken)
				require.Equal(t, CategoryUnavailable, Category(annotate(errors.New("no answer"), s.get())))
			}
		})
	}
}

// A text that ends too early is half an answer, however the client came to it; anything else is none at all.
func TestCategoryOfHalfAnAnswer(t *testing.T) {
	half, page := json.Unmarshal([]byte(`{"a": `), new(any)), json.Unmarshal([]byte("<html>"), new(any))
	require.Equal(t, CategoryUnavailable, Category(half))
	require.Equal(t, CategoryInvalidResponse, Category(page))
	require.Equal(t, CategoryUnavailable, Category(errors.New("failed to unmarshal JSON: "+half.Error())))
	require.Equal(t, CategoryInvalidResponse, Category(errors.New("failed to unmarshal JSON: "+page.Error())))
}

// protobuf's errors end in one sentinel for all of them.
type protoError struct{ text string }

func (e *protoError) Error() string { return e.text }
func (*protoError) Unwrap() error   { return errors.New("protobuf error") }

func TestCategoryOfProtobufErrors(t *testing.T) {
	require.Equal(t, CategoryInvalidResponse, Category(&protoError{"proto:\u00a0syntax error (line 1:1): invalid value <"}))
	require.Equal(t, CategoryInvalidResponse, Category(&protoError{"proto: syntax error (line 1:1): invalid value <"}))
	require.Equal(t, CategoryUnavailable, Category(&protoError{"proto: syntax error (line 1:1): unexpected token "}))
}

func TestCategoryOfWatsonxWithoutResults(t *testing.T) {
	require.Equal(t, CategoryEmptyResponse, Category(errors.New("no result recieved")))
}
