// Package callbackretry tells a langchaingo callbacks.Handler of every attempt of a decorated model: one
// HandleLLMGenerateContentStart with the messages of that attempt, then HandleLLMError with the typed error of a failed
// or refused one, or HandleLLMGenerateContentEnd with the response of the accepted one.
//
// Handlers are given contents: that is what langchaingo's interface is. For logs without them use llmretry.SlogObserver.
//
// # Who fires, and how not to be told twice
//
// A decorator fires nothing by itself. Provider clients do, when one has a handler: once per attempt, since each attempt
// is a call of the client, but not the whole story, and not the same one from client to client (langchaingo v0.1.14):
//
//	client                                          answered                failed           empty answer
//	openai, googleai, vertex                        Start, End              Start            Start
//	anthropic, llamafile, huggingface, watsonx      Start                   Start, Error     Start; huggingface, watsonx Error
//	ollama, cohere, bedrock, maritaca, ernie        Start, End              Start, Error     ollama, maritaca, ernie End; cohere, bedrock Error
//	cloudflare                                      Start, End              Start            End
//	mistral                                         Start, End(nil), End    Start, End(nil), Error    Start, End(nil), Error(nil)
//	local                                           Start, End              Start            End
//
// None knows of a refused output: for a client it is an End. Some handlers, langchaingo's LogHandler too, do not survive
// mistral's End(nil).
//
// So give a handler to [New], and use what that returns in all places: its Observe for the decorator and, if need be,
// itself for the client and for chains, agents and tools. Within an attempt that it was told of by the decorator, it does
// not hear the client, so that an attempt is told once whatever has the handler. What nobody decorates - a chain, a tool,
// a client called directly - is told as ever. Observe refuses a model whose client was given the bare handler.
//
// Chains and agents never fire hooks about models. A handler given to a chain when it is called (chains.WithCallback)
// turns streaming on; give it when the chain is made.
package callbackretry
