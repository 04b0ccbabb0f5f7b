package llmretry

import (
	"net/http"
	"strconv"
	"strings"
)

// This file holds everything that is read out of error texts. langchaingo's clients make most of their errors with
// errors.New and fmt.Errorf, so the text is all there is. Each format is matched from its first byte on, never by a
// word or a number somewhere inside: a message may quote anything. (Semantics B7.)

// reading is what the text at the end of an error chain says.
type reading struct {
	status   int           // 0 = it names none
	message  string        // the provider's own words behind the status
	category ErrorCategory // of a text without a status
}

// readText recognises the texts of langchaingo's clients. The zero reading means it is none of them.
func readText(text string) reading {
	if status, message, ok := readStatus(text); ok {
		return reading{status: status, message: message}
	}
	if status, message, ok := readGRPC(text); ok {
		return reading{status: status, message: message}
	}
	if rest, ok := strings.CutPrefix(text, "received error event: map["); ok {
		return reading{status: anthropicEvent(rest), message: text}
	}
	if body, ok := strings.CutPrefix(text, "error: "); ok && isBody(body) { // cloudflare leaves the status out
		return reading{message: body}
	}
	if rest, ok := strings.CutPrefix(text, "has error code, error_code:"); ok {
		return reading{category: ernieCode(rest)}
	}
	return reading{category: localCategory(text)}
}

// statusFormats are the texts that carry a status, one per client: the three digits stand between before and after,
// and what follows is the provider's message. A text may end with the digits.
var statusFormats = [...]struct{ before, after string }{
	{"API returned unexpected status code: ", ": "},                // openai, anthropic, ernie
	{"unexpected status code: ", ", body: "},                       // huggingface
	{"(HTTP Error ", ") "},                                         // mistral
	{"googleapi: Error ", ": "},                                    // googleai
	{"googleapi: got HTTP response code ", " with body: "},         // googleai
	{"request failed with status code ", " and error "},            // watsonx
	{"completion API returned unexpected status code: ", ": "},     // ernie
	{"get access_token API returned unexpected status code: ", ""}, // ernie
}

func readStatus(text string) (status int, message string, ok bool) {
	for i := range statusFormats {
		f := &statusFormats[i]
		if rest, found := strings.CutPrefix(text, f.before); found {
			return cutStatus(rest, f.after)
		}
	}
	// maritaca and ollama: "429 Too Many Requests: message". The reason phrase must be that status's own, or "503 rows
	// failed" would be a status.
	status, rest, ok := cutDigits(text)
	if !ok {
		return 0, "", false
	}
	phrase := http.StatusText(status)
	rest, ok = strings.CutPrefix(rest, " "+phrase)
	if phrase == "" || !ok {
		return 0, "", false
	}
	message, ok = strings.CutPrefix(rest, ": ")
	return status, message, ok || rest == ""
}

func cutStatus(text, after string) (status int, message string, ok bool) {
	status, rest, ok := cutDigits(text)
	if !ok {
		return 0, "", false
	}
	if rest == "" { // nothing was said
		return status, "", !strings.HasPrefix(after, ")")
	}
	message, ok = strings.CutPrefix(rest, after)
	return status, message, ok && after != ""
}

// cutDigits reads the three digits of a status at the beginning of text.
func cutDigits(text string) (status int, rest string, ok bool) {
	if len(text) < 3 || !digits(text[:3]) || len(text) > 3 && text[3] >= '0' && text[3] <= '9' {
		return 0, "", false
	}
	status = int(text[0]-'0')*100 + int(text[1]-'0')*10 + int(text[2]-'0')
	return status, text[3:], validStatus(status) != 0
}

// readGRPC reads vertex's errors, which come without HTTP: "rpc error: code = Unavailable desc = message".
func readGRPC(text string) (status int, message string, ok bool) {
	rest, ok := strings.CutPrefix(text, "rpc error: code = ")
	if !ok {
		return 0, "", false
	}
	code, message, _ := strings.Cut(rest, " desc = ")
	switch code { // as the gRPC gateway maps them
	case "InvalidArgument", "FailedPrecondition", "OutOfRange":
		status = http.StatusBadRequest
	case "Unauthenticated":
		status = http.StatusUnauthorized
	case "PermissionDenied":
		status = http.StatusForbidden
	case "NotFound":
		status = http.StatusNotFound
	case "ResourceExhausted":
		status = http.StatusTooManyRequests
	case "Canceled":
		status = 499
	case "Internal", "DataLoss", "Unknown":
		status = http.StatusInternalServerError
	case "Unimplemented":
		status = http.StatusNotImplemented
	case "Unavailable":
		status = http.StatusServiceUnavailable
	case "DeadlineExceeded":
		status = http.StatusGatewayTimeout
	}
	return status, message, status != 0
}

// anthropicEvent returns the status that stands for the type of an error in a stream, which the client prints as a Go
// map: "error:map[message:Overloaded type:overloaded_error] type:error]". It is read from the end: the message comes
// before and may contain anything, the types and the request id contain no space.
func anthropicEvent(text string) int {
	text, ok := strings.CutSuffix(text, " type:error]")
	if !ok {
		return 0
	}
	if at := strings.LastIndexByte(text, ' '); at >= 0 && strings.HasPrefix(text[at+1:], "request_id:") {
		text = text[:at]
	}
	at := strings.LastIndexByte(text, ' ')
	switch text[at+1:] {
	case "type:invalid_request_error]":
		return http.StatusBadRequest
	case "type:authentication_error]":
		return http.StatusUnauthorized
	case "type:permission_error]":
		return http.StatusForbidden
	case "type:not_found_error]":
		return http.StatusNotFound
	case "type:request_too_large]":
		return http.StatusRequestEntityTooLarge
	case "type:rate_limit_error]":
		return http.StatusTooManyRequests
	case "type:api_error]":
		return http.StatusInternalServerError
	case "type:timeout_error]":
		return http.StatusGatewayTimeout
	case "type:overloaded_error]":
		return 529
	}
	return 0
}

// ernieCode reads baidu's own code from a reply whose status was 200.
func ernieCode(text string) ErrorCategory {
	digits, _, _ := strings.Cut(text, ",")
	code, err := strconv.Atoi(digits)
	if err != nil {
		return ""
	}
	switch code {
	case 1, 2, 336000, 336100, 336200: // unknown or internal error, service busy
		return CategoryUnavailable
	case 18, 336501, 336502: // queries, requests or tokens per time
		return CategoryRateLimit
	case 4, 17, 19: // the request limits of a day and of the account
		return CategoryQuotaExceeded
	case 6, 14, 15, 100, 110, 111: // permissions, signatures and tokens
		return CategoryAuthentication
	case 336103: // prompt tokens too long
		return CategoryContextTooLong
	}
	return CategoryInvalidRequest
}
