package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
)

// The program of the README, run with langchaingo's openai client against a server that answers wrongly until it is
// told what was wrong.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Messages []struct{ Content string } }
		_ = json.NewDecoder(r.Body).Decode(&request)
		answer := `{"Name": "Ada Lovelace"}`
		if last := request.Messages[len(request.Messages)-1].Content; len(request.Messages) > 1 {
			fmt.Println("correction:", last)
			answer = `{"Name": "Ada Lovelace", "Country": "England"}`
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{
			"message": map[string]any{"role": "assistant", "content": answer}, "finish_reason": "stop",
		}}})
	}))
	defer server.Close()
	for name, value := range map[string]string{"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.URL, "OPENAI_MODEL": "small"} {
		before, had := os.LookupEnv(name)
		os.Setenv(name, value)
		defer func() {
			os.Unsetenv(name)
			if had {
				os.Setenv(name, before)
			}
		}()
	}

	main()
	// Output:
	// correction: That was refused: /Country: required property is missing, want string. Try again.
	// {Ada Lovelace England} <nil>
}
