package llmretry

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Semantics B7: every status, with and without the texts that give it another meaning.
func TestCategoryOfStatus(t *testing.T) {
	tests := []struct {
		status int
		text   string
		want   ErrorCategory
	}{
		{0, "", ""}, {200, "", ""}, {204, "", ""}, {304, "", ""}, {600, "", ""}, {-1, "", ""},

		{401, "Incorrect API key provided: sk-***.", CategoryAuthentication},
		{403, "Project `p` does not have access to model `gpt-4`", CategoryAuthentication},

		{429, "", CategoryRateLimit},
		{429, "Your monthly quota is used up", CategoryQuotaExceeded},
		{429, "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-06-01 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 20 seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit.", CategoryRateLimit},
		{429, "slow down, see https://example.com/quota/billing or your credit-card accreditation", CategoryRateLimit},
		{429, "quota reached, try again in 20s", CategoryRateLimit},
		{429, "No Credits left on this account", CategoryQuotaExceeded},
		{429, "please fix your billing details", CategoryQuotaExceeded},
		{429, "Rate limit reached for gpt-4 in organization org-1 on requests per min. Limit: 3 / min. Please try again in 20s. You can increase your rate limit by adding a payment method to your account at https://platform.openai.com/account/billing.", CategoryRateLimit},
		{429, "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day", CategoryRateLimit},
		{429, "Quota exceeded for quota metric 'Generate Content API requests per minute' and limit 'GenerateContent request limit per minute for a region' of service 'generativelanguage.googleapis.com'", CategoryRateLimit},
		{429, "Resource has been exhausted (e.g. check quota).", CategoryRateLimit},
		{429, "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-02-01 have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 7 seconds.", CategoryRateLimit},
		{429, "This request would exceed your organization's rate limit of 50,000 input tokens per minute.", CategoryRateLimit},
		{429, `{"error":{"message":"the tool said \"code\":\"insufficient_quota\" and You exceeded your current quota","code":"rate_limit_exceeded"}}`, CategoryRateLimit},
		{429, "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.", CategoryQuotaExceeded},
		{429, "Your account is not active, please check your billing details on our website.", CategoryQuotaExceeded},
		{429, "You have exceeded your monthly included credits for Inference Providers.", CategoryQuotaExceeded},
		{429, `{"error":{"message":"No.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, CategoryQuotaExceeded},
		{429, `{"error": {"type": "insufficient_quota"}}`, CategoryQuotaExceeded},
		{429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan"}}]`, CategoryQuotaExceeded},
		{429, `{"result":null,"success":false,"errors":[{"code":4006,"message":"AiError: you have used up your daily free allocation of 10,000 neurons, please upgrade"}]}`, CategoryQuotaExceeded},
		{429, "insufficient_quota", CategoryQuotaExceeded},

		{404, "", CategoryInvalidModel},
		{404, "The model `gpt-9` does not exist or you do not have access to it.", CategoryInvalidModel},
		{404, "model: claude-9", CategoryInvalidModel},
		{404, `model "llama9" not found, try pulling it first`, CategoryInvalidModel},
		{404, "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.", CategoryInvalidModel},
		{404, "404 page not found", CategoryInvalidRequest},
		{404, "Invalid URL (POST /v1/v1/chat/completions)", CategoryInvalidRequest},
		{404, "<!DOCTYPE html><title>Not Found</title>", CategoryInvalidRequest},

		{503, "", CategoryUnavailable},
		{503, "That model is currently overloaded with other requests.", CategoryUnavailable},
		{503, "The server is loading data and is unavailable", CategoryUnavailable},
		{503, `{"error":"Model bigscience/bloom is currently loading","estimated_time":20.0}`, CategoryModelNotLoaded},
		{503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, CategoryModelNotLoaded},
		{503, "Loading model", CategoryModelNotLoaded},
		{503, "llm server loading model", CategoryModelNotLoaded},
		{500, "Loading model", CategoryUnavailable},

		{408, "", CategoryUnavailable}, {425, "", CategoryUnavailable}, {499, "context canceled by upstream", CategoryUnavailable},
		{500, "", CategoryUnavailable}, {502, "", CategoryUnavailable}, {504, "", CategoryUnavailable}, {507, "", CategoryUnavailable},
		{520, "", CategoryUnavailable}, {524, "", CategoryUnavailable}, {529, "Overloaded", CategoryUnavailable}, {599, "", CategoryUnavailable},
		{501, "", CategoryInvalidRequest}, {505, "", CategoryInvalidRequest},

		{400, "", CategoryInvalidRequest},
		{400, "project 123429 rejected after 500ms", CategoryInvalidRequest},
		{400, "your prompt quotes: This model's maximum context length is 8192 tokens.", CategoryInvalidRequest},
		{400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", CategoryContextTooLong},
		{400, "prompt is too long: 210000 tokens > 200000 maximum", CategoryContextTooLong},
		{400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", CategoryContextTooLong},
		{400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", CategoryContextTooLong},
		{400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":3051}`, CategoryContextTooLong},
		{400, "Input is too long for requested model.", CategoryContextTooLong},
		{400, `{"error":{"message":"too much","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, CategoryContextTooLong},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error"}}`, CategoryContextTooLong},
		{413, "prompt is too long: 210000 tokens > 200000 maximum", CategoryContextTooLong},
		{422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`", CategoryContextTooLong},
		{400, `{"object":"error","message":"Invalid model: mistral-9","type":"invalid_model","code":"1500"}`, CategoryInvalidModel},
		{400, "You exceeded your current quota", CategoryInvalidRequest},
		{413, "", CategoryInvalidRequest}, {422, "", CategoryInvalidRequest},
		{402, "Insufficient Balance", CategoryInvalidRequest}, {405, "", CategoryInvalidRequest}, {409, "", CategoryInvalidRequest},
		{410, "", CategoryInvalidRequest}, {418, "", CategoryInvalidRequest}, {451, "", CategoryInvalidRequest},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, categoryOfStatus(tt.status, tt.text), "%d %s", tt.status, tt.text)
		if tt.status >= 400 && tt.status < 600 { // the same through a client's text
			err := errors.New("(HTTP Error " + strconv.Itoa(tt.status) + ") " + tt.text)
			require.Equal(t, tt.want, Category(err), err)
		}
	}
}

// The error types below have the exported fields and methods of the SDKs' own, which this module does not depend on.

type googleError struct { // google.golang.org/api/googleapi.Error
	Code    int
	Message string
	Details []any
	Body    string
	Header  http.Header
	err     error
}

func (e *googleError) Error() string {
	return fmt.Sprintf("googleapi: Error %d: %s", e.Code, e.Message)
}
func (e *googleError) Unwrap() error { return e.err }

type apiError struct { // github.com/googleapis/gax-go/v2/apierror.APIError
	err     error
	httpErr *googleError
	details string
}

func (e *apiError) Error() string { return e.err.Error() + "\n" + e.details }
func (e *apiError) Unwrap() error { return e.err }
func (e *apiError) HTTPCode() int {
	if e.httpErr == nil {
		return -1
	}
	return e.httpErr.Code
}

type smithyResponse struct{ *http.Response } // github.com/aws/smithy-go/transport/http

type smithyResponseError struct {
	Response *smithyResponse
	Err      error
}

func (e *smithyResponseError) HTTPStatusCode() int { return e.Response.StatusCode }
func (e *smithyResponseError) Unwrap() error       { return e.Err }
func (e *smithyResponseError) Error() string {
	return fmt.Sprintf("http response error StatusCode: %d, %v", e.Response.StatusCode, e.Err)
}

type awsResponseError struct { // github.com/aws/aws-sdk-go-v2/aws/transport/http
	*smithyResponseError
	RequestID string
}

type smithyAPIError struct{ Code, Message string } // smithy.GenericAPIError

func (e *smithyAPIError) ErrorCode() string    { return e.Code }
func (e *smithyAPIError) ErrorMessage() string { return e.Message }
func (e *smithyAPIError) Error() string        { return "api error " + e.Code + ": " + e.Message }

func bedrockError(status int, code, message string) error {
	return fmt.Errorf("operation error Bedrock Runtime: InvokeModel, %w", &awsResponseError{
		smithyResponseError: &smithyResponseError{
			Response: &smithyResponse{&http.Response{StatusCode: status, Header: http.Header{"Retry-After": {"7"}}}},
			Err:      &smithyAPIError{code, message},
		},
		RequestID: "503",
	})
}

type statusError struct { // maritaca's and ollama's, in internal packages
	Status       string
	ErrorMessage string
	StatusCode   int
}

func (e statusError) Error() string { return e.Status + ": " + e.ErrorMessage }

type exitError struct{ Code int } // not HTTP: no header beside it

func (e exitError) Error() string { return "exit" }

type toolError struct{ StatusCode int } // not HTTP: no such status

func (e toolError) Error() string { return "tool" }

type tokenError struct{ Response *http.Response } // golang.org/x/oauth2.RetrieveError

func (e *tokenError) Error() string { return "oauth2: cannot fetch token" }

type narrowStatus struct{ StatusCode int16 }

func (e narrowStatus) Error() string { return "narrow" }

// Semantics B7: the status of an error by its type.
func TestStatusByType(t *testing.T) {
	apiErr := &apiError{err: &googleError{Code: 400, Message: "The input token count (9) exceeds the maximum number of tokens allowed (8)."}}
	apiErr.httpErr = apiErr.err.(*googleError)
	cycle := &googleError{Code: 429, Message: "Resource has been exhausted (e.g. check quota)."}
	cycle.err = &apiError{err: cycle, httpErr: cycle} // as google's own constructors have made it
	tests := []struct {
		name   string
		err    error
		status int
		want   ErrorCategory
	}{
		{"googleapi", &googleError{Code: 503, Message: "The model is overloaded."}, 503, CategoryUnavailable},
		{"googleapi through gax", apiErr, 400, CategoryContextTooLong},
		{"googleapi and gax in a cycle", cycle, 429, CategoryRateLimit},
		{"googleapi with the body only", &googleError{Code: 503, Body: `{"error":"Model x is currently loading"}`}, 503, CategoryModelNotLoaded},
		{"gRPC through gax", &apiError{err: errors.New("rpc error: code = Unavailable desc = The service is currently unavailable.")}, 503, CategoryUnavailable},
		{"bedrock throttled", bedrockError(429, "ThrottlingException", "Too many requests, please wait"), 429, CategoryRateLimit},
		{"bedrock too long", bedrockError(400, "ValidationException", "Input is too long for requested model."), 400, CategoryContextTooLong},
		{"bedrock denied", bedrockError(403, "AccessDeniedException", "You don't have access to the model with the specified model ID."), 403, CategoryAuthentication},
		{"bedrock no model", bedrockError(404, "ResourceNotFoundException", "Could not resolve the foundation model"), 404, CategoryInvalidModel},
		{"bedrock within a stream", &smithyAPIError{"ThrottlingException", "slow down"}, 429, CategoryRateLimit},
		{"bedrock unknown code", &smithyAPIError{"Other", "429"}, 0, ""},
		{"bedrock undecodable", fmt.Errorf("x: %w", &smithyResponseError{&smithyResponse{&http.Response{StatusCode: 200}}, decodeError(t, "<")}), 200, CategoryInvalidResponse},
		{"maritaca", statusError{"429 Too Many Requests", "slow", 429}, 429, CategoryRateLimit},
		{"maritaca by pointer", &statusError{"500 Internal Server Error", "x", 500}, 500, CategoryUnavailable},
		{"maritaca's message", statusError{"503 Service Unavailable", "Loading model", 503}, 503, CategoryModelNotLoaded},
		{"token endpoint", &tokenError{&http.Response{StatusCode: 401}}, 401, CategoryAuthentication},
		{"token endpoint without a response", &tokenError{}, 0, ""},
		{"narrow field", narrowStatus{503}, 503, CategoryUnavailable},
		{"exit code", exitError{503}, 0, ""},
		{"no status", toolError{3}, 0, ""},
		{"annotated", &ProviderError{Status: 418, Err: errors.New("503 Service Unavailable")}, 418, CategoryInvalidRequest},
		{"through a carrier", &AttemptsError{Err: fmt.Errorf("x: %w", statusError{"", "", 502})}, 502, CategoryUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 { // the second time from the remembered shape
				require.Equal(t, tt.status, statusOf(fmt.Errorf("model: %w", tt.err)))
				require.Equal(t, tt.want, Category(fmt.Errorf("model: %w", tt.err)))
			}
		})
	}
}

// Semantics B7: quota is exceeded only when the server does not say when to come back.
func TestQuotaWithRetryAfterIsARateLimit(t *testing.T) {
	const quota = "You exceeded your current quota, please check your plan and billing details."
	for _, tt := range []struct {
		name string
		err  error
		want ErrorCategory
	}{
		{"plain", &googleError{Code: 429, Message: quota}, CategoryQuotaExceeded},
		{"garbage header", &googleError{Code: 429, Message: quota, Header: http.Header{"Retry-After": {"soon"}}}, CategoryQuotaExceeded},
		{"header", &googleError{Code: 429, Message: quota, Header: http.Header{"Retry-After": {"30"}}}, CategoryRateLimit},
		{"RetryInfo", &googleError{Code: 429, Message: quota, Details: []any{map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "33s"}}}, CategoryRateLimit},
		{"RetryInfo in gax's text", &apiError{httpErr: &googleError{Code: 429}, err: &googleError{Code: 429, Message: quota}, details: "error details: retry in 33s"}, CategoryRateLimit},
		{"RetryInfo in gemini's text", errors.New("API returned unexpected status code: 429: " + quota + "\n* Quota exceeded for metric: x, limit: 5\nPlease retry in 38.660918286s."), CategoryRateLimit},
		{"text", errors.New("API returned unexpected status code: 429: " + quota), CategoryQuotaExceeded},
		{"bedrock always answers with a header here", bedrockError(429, "x", quota), CategoryRateLimit},
	} {
		require.Equal(t, tt.want, Category(tt.err), tt.name)
	}
}

// Semantics D9 reads the provider's own message through this.
func TestProviderMessage(t *testing.T) {
	const message = "Unsupported parameter: 'temperature' is not supported with this model."
	sentinel := errors.New("unexpected status code")
	for name, err := range map[string]error{
		"openai":      errors.New("API returned unexpected status code: 400: " + message),
		"mistral":     errors.New(`(HTTP Error 400) {"object":"error","message":"` + message + `"}`),
		"huggingface": fmt.Errorf("failed to run inference: %w", fmt.Errorf("%w: 400, body: %s", sentinel, `{"error":{"code":400,"message":"`+message+`"}}`)),
		"watsonx":     errors.New(`request failed with status code 400 and error {"errors":[{"code":"x","message":"` + message + `"}]}`),
		"googleai":    &apiError{httpErr: &googleError{Code: 400}, err: &googleError{Code: 400, Message: message}},
		"bedrock":     bedrockError(400, "ValidationException", message),
		"maritaca":    statusError{"400 Bad Request", message, 400},
		"ollama":      errors.New(message),
		"annotated":   &ProviderError{Status: 400, Err: errors.New(message)},
	} {
		require.Equal(t, message, providerMessage(err), name)
	}
	require.Empty(t, providerMessage(errors.New("API returned unexpected status code: 400")))
}
