package attemptview

// Option changes what [WriteHTML] writes.
type Option func(*config)

type config struct {
	title   string
	redact  func(string) string
	maxText int
	maxPage int
}

func newConfig(opts []Option) config {
	c := config{title: "LLM calls", redact: func(s string) string { return s }, maxText: 20_000, maxPage: 8_000_000}
	for _, opt := range opts {
		if opt != nil {
			opt(&c)
		}
	}
	return c
}

// Title sets the page's title; "LLM calls" without it.
func Title(title string) Option { return func(c *config) { c.title = title } }

// Redact lets f see every text that comes from a call before it is shown - messages, outputs, values of options, errors,
// issues, names - and shows what f returns. It is called once per text. An issue whose place f has changed is listed
// without a mark. nil is no redaction.
func Redact(f func(text string) string) Option {
	return func(c *config) {
		if f != nil {
			c.redact = f
		}
	}
}

// MaxText is how many bytes of one text are shown, 20 000 without it; the page says how many are not. What is around the
// place of an issue is shown beyond that. Less than 1 is 1.
func MaxText(bytes int) Option { return func(c *config) { c.maxText = max(1, bytes) } }

// MaxPage is about how many bytes of texts the whole page shows, 8 000 000 without it. Attempts and calls that do not fit
// are counted and not shown. Less than 1 is 1.
func MaxPage(bytes int) Option { return func(c *config) { c.maxPage = max(1, bytes) } }
