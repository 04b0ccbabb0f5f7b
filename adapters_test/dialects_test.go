package adapters_test

// dialects are all clients that can be pointed at a loopback server.
func dialects() []*dialect {
	list := []*dialect{
		openaiDialect(), azureDialect(), anthropicDialect(), legacyDialect(), ollamaDialect(), mistralDialect(),
		googleDialect(), vertexDialect(),
	}
	list = append(list, bedrockDialects()...)
	return append(list,
		cohereDialect(), cloudflareDialect(), huggingfaceDialect(), routerDialect(), llamafileDialect(), maritacaDialect(),
		watsonxDialect(), ernieDialect(),
	)
}

// undriven are the models of langchaingo that cannot, with the reason.
var undriven = []struct{ name, reason string }{
	{"vertex over gRPC", "the client verifies TLS, and what is fake here is HTTP/1; the same messages go over REST above"},
	{"palm", "withdrawn by google, and gRPC only"},
	{"local", "it starts a program; its arguments accumulate from call to call, so no retry of it is a retry"},
	{"fake", "it has no wire"},
}
