package setup

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/clausemill/clausemill/llm"
)

// Config is every setting there is. Each can be given as a flag of the commands
// that use it or as the environment variable in its tag; docs/settings.md lists them.
// Of one that only one of serve and work uses, the tag only says which. What the tag
// secret means is in secrets.go.
type Config struct {
	Addr        string `env:"CLAUSEMILL_ADDR" default:"127.0.0.1:8080" help:"Address that the API listens on." only:"serve"`
	MetricsAddr string `env:"CLAUSEMILL_METRICS_ADDR" help:"Address that /metrics, /livez, /readyz and /debug/pprof answer on, for operators only. 127.0.0.1:9090 by default, or a free port of this machine where that is taken."`

	DataDir     string `env:"CLAUSEMILL_DATA_DIR" default:"data" type:"path" help:"Directory for what is kept on this machine: files where BLOB_URL names no other place, caches, and the database of 'dev'."`
	Database    `embed:""`
	Migrate     bool   `env:"CLAUSEMILL_MIGRATE" default:"true" negatable:"" help:"Bring the database schema up to date at the start."`
	BlobURL     string `name:"blob-url" env:"BLOB_URL" help:"Where uploaded files are kept: file:///directory, or s3://bucket?region=…&endpoint=…. A directory below the data directory by default."`
	BlobCache   Size   `env:"CLAUSEMILL_BLOB_CACHE" default:"4GiB" help:"Room in the data directory for copies of files that are kept in a bucket. A file is fetched once by each process that works on it, while its copy has room."`
	MeiliURL    string `env:"MEILI_URL" help:"Meilisearch to search with. Without it Postgres does."`
	MeiliKey    string `secret:"" env:"MEILI_KEY" help:"Master key of Meilisearch, or one that may manage keys, indexes, documents, settings and tasks."`
	MeiliPrefix string `env:"CLAUSEMILL_MEILI_PREFIX" default:"clausemill" help:"Begins the names of the indexes. Installations that share a Meilisearch need one each."`

	OCRLanguages string        `name:"ocr-languages" env:"CLAUSEMILL_OCR_LANGUAGES" default:"eng" help:"Languages that scans are read in first, as Tesseract names them: eng+deu. Pages in other languages and scripts are read again where their models are installed." only:"work"`
	OCRSlots     int           `name:"ocr-slots" env:"CLAUSEMILL_OCR_SLOTS" default:"0" help:"Pages recognised at once. 0 is one for each processor, as far as there is memory for it." only:"work"`
	OCRMemory    Size          `name:"ocr-memory" env:"CLAUSEMILL_OCR_MEMORY" default:"350MiB" help:"Memory that the recognition of a page may take before it is ended." only:"work"`
	OCRTimeout   time.Duration `name:"ocr-timeout" env:"CLAUSEMILL_OCR_TIMEOUT" default:"2m" help:"Processor time that the recognition of a page may take before it is ended." only:"work"`
	OCRProgram   string        `name:"ocr-program" env:"CLAUSEMILL_OCR" help:"The program clausemill-ocr. The one beside this program by default." only:"work"`
	TextSlots    int           `env:"CLAUSEMILL_TEXT_SLOTS" default:"0" help:"Files read and analysed at once. 0 is one for each processor, as far as there is memory for it." only:"work"`
	Converter    string        `env:"CLAUSEMILL_CONVERTER" help:"LibreOffice, which reads DOC files and lays out pages. 'soffice' by default, where it is installed."`

	MaxFile     Size          `env:"CLAUSEMILL_MAX_FILE" default:"500MiB" help:"Largest file that is taken." only:"serve"`
	MaxJSONFile Size          `name:"max-json-file" env:"CLAUSEMILL_MAX_JSON_FILE" default:"50MiB" help:"Largest file that is taken in a JSON body." only:"serve"`
	MaxPages    int           `env:"CLAUSEMILL_MAX_PAGES" default:"5000" help:"Most pages that one file may have."`
	Uploads     int           `env:"CLAUSEMILL_UPLOADS" default:"64" help:"Uploads under way at once in a process: of one team a quarter of them, of one user or key an eighth." only:"serve"`
	Waiting     int           `env:"CLAUSEMILL_WAITING" default:"4096" help:"Event streams and long polls open at once in a process: of one team a quarter of them, of one user or key a thirty-second." only:"serve"`
	TrashDays   int           `env:"CLAUSEMILL_TRASH_DAYS" default:"30" help:"Days for which what was deleted can be brought back."`
	DrainDelay  time.Duration `env:"CLAUSEMILL_DRAIN_DELAY" default:"5s" help:"How long requests are still taken after SIGTERM, while /readyz refuses: as long as the load balancer takes to look away." only:"serve"`
	RateLimit   int           `env:"CLAUSEMILL_RATE_LIMIT" default:"100" help:"Requests by API key in a minute, for each user and each organization. From 1000 on each process counts a thousandth of them ahead, so that several may refuse the last few." only:"serve"`

	PublicURL             string   `name:"public-url" env:"CLAUSEMILL_PUBLIC_URL" help:"Address that browsers reach the API at: https://contracts.example.com. Signing in needs it." only:"serve"`
	Origins               []string `name:"cors-origins" env:"CORS_ORIGINS" help:"Origins whose pages may call the API with a key or a token: https://app.example.com. Without any, pages of other sites may not." only:"serve"`
	OIDCIssuer            string   `name:"oidc-issuer" env:"OIDC_ISSUER" help:"OpenID Connect identity provider that people sign in through. Without it there are only API keys." only:"serve"`
	OIDCClientID          string   `name:"oidc-client-id" env:"OIDC_CLIENT_ID" help:"What the identity provider calls this installation. It has to know CLAUSEMILL_PUBLIC_URL/auth/callback as where to send browsers back to." only:"serve"`
	OIDCClientSecret      string   `name:"oidc-client-secret" secret:"" env:"OIDC_CLIENT_SECRET" help:"What this installation proves that with." only:"serve"`
	OIDCScopes            []string `name:"oidc-scopes" env:"OIDC_SCOPES" default:"openid,email,profile" help:"What to ask the identity provider for." only:"serve"`
	OIDCOrganizationClaim string   `name:"oidc-organization-claim" env:"OIDC_ORGANIZATION_CLAIM" help:"Claim with the names of the organizations that somebody belongs to. Without it people come into organizations by invitation alone." only:"serve"`

	Console bool `env:"CLAUSEMILL_CONSOLE" default:"true" negatable:"" help:"Serve the console, the pages for people, beside the API." only:"serve"`

	Operators []string `env:"CLAUSEMILL_OPERATORS" help:"E-mail addresses of those who see how the installation does, and may look into the job queue of all teams." only:"serve"`

	LanguageModel `embed:""`

	PrivateWebhooks bool `env:"CLAUSEMILL_PRIVATE_WEBHOOKS" help:"Let webhooks lead to this machine and its networks, without TLS too."`

	Logging `embed:""`

	Tracing `embed:""`
}

// Database is the settings of those who need nothing but the database.
type Database struct {
	DatabaseURL       string `secret:"url" env:"DATABASE_URL" help:"Postgres to use: postgres://user:password@host/database."`
	DatabaseDirectURL string `secret:"url" env:"DATABASE_DIRECT_URL" help:"The same Postgres without the pooler, where DATABASE_URL is that of one which has connections for a transaction each, as PgBouncer's transaction mode. Each process listens there on one connection, and migrates."`
	DatabaseConns     int    `env:"CLAUSEMILL_DATABASE_CONNS" default:"20" help:"Connections to Postgres at most, of this process. Postgres has to take those of all processes together, and two more of each: one listens, and one answers probes. See its max_connections."`
}

// LanguageModel is the settings of a model that writes answers out of quotes.
type LanguageModel struct {
	LLMURL             string        `name:"llm-url" env:"LLM_URL" help:"API of a language model that writes answers out of quotes, as OpenAI's chat completions: http://127.0.0.1:8081/v1. Without it nothing of a document is sent to one." only:"serve"`
	LLMModel           string        `name:"llm-model" env:"LLM_MODEL" help:"Name of the model, as its server lists it." only:"serve"`
	LLMKey             string        `name:"llm-key" secret:"" env:"LLM_KEY" help:"Key of that API, where it wants one." only:"serve"`
	LLMTimeout         time.Duration `name:"llm-timeout" env:"LLM_TIMEOUT" default:"30s" help:"How long the model may take for an answer; after that the answer is made of quotes." only:"serve"`
	LLMTeamTokens      int           `name:"llm-team-tokens" env:"LLM_TEAM_TOKENS" default:"500000" help:"Tokens that the questions of a team may use in a day, in UTC. 0 is no limit." only:"serve"`
	LLMPromptPrice     float64       `name:"llm-prompt-price" env:"LLM_PROMPT_PRICE" default:"0" help:"Price of a million tokens that the model reads, for the metric of costs." only:"serve"`
	LLMCompletionPrice float64       `name:"llm-completion-price" env:"LLM_COMPLETION_PRICE" default:"0" help:"Price of a million tokens that the model writes." only:"serve"`
}

// Client is the client of the model; nil where none is named.
func (c LanguageModel) Client() (*llm.Client, error) {
	if c.LLMURL == "" {
		return nil, nil //nolint:nilnil // there is none, which is no error
	}
	if c.LLMTeamTokens < 0 {
		return nil, errors.New("LLM_TEAM_TOKENS has to be 0 or more")
	}
	return llm.New(llm.Config{
		URL: c.LLMURL, Model: c.LLMModel, Key: c.LLMKey, Timeout: c.LLMTimeout, PromptPrice: c.LLMPromptPrice, CompletionPrice: c.LLMCompletionPrice,
	})
}

// Logging is how much is logged, and in which form.
type Logging struct {
	LogLevel  string `env:"CLAUSEMILL_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"Least severe lines to log: ${enum}."`
	LogFormat string `env:"CLAUSEMILL_LOG_FORMAT" default:"text" enum:"text,json" help:"Form of log lines: ${enum}."`
}

// Tracing is where traces are sent, and which. The variables are OpenTelemetry's, so that
// who operates other services knows them. They may be set on a machine for other programs
// too, so a mistake in them is one only where there are traces.
type Tracing struct {
	OTLPEndpoint       string `name:"otel-exporter-otlp-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"Collector that traces are sent to, with OTLP over HTTP: http://127.0.0.1:4318. Without this and the next one there are no traces."`
	OTLPTracesEndpoint string `name:"otel-exporter-otlp-traces-endpoint" env:"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" help:"The same as a whole address: http://127.0.0.1:4318/v1/traces."`
	OTLPHeaders        string `name:"otel-exporter-otlp-headers" secret:"" env:"OTEL_EXPORTER_OTLP_HEADERS" help:"Headers that the collector wants, such as a key: name=value,name=value."`
	Sampler            string `name:"otel-traces-sampler" env:"OTEL_TRACES_SAMPLER" default:"parentbased_always_on" help:"Which traces are recorded: always_on, always_off or traceidratio, or one of them with parentbased_ before it. With parentbased_ a caller that names a trace decides for it."`
	SamplerArg         string `name:"otel-traces-sampler-arg" env:"OTEL_TRACES_SAMPLER_ARG" default:"1" help:"Part of the traces that is recorded by traceidratio, from 0 to 1."`
	ServiceName        string `name:"otel-service-name" env:"OTEL_SERVICE_NAME" help:"Name of the process in traces: clausemill-api or clausemill-worker by default."`
	Resource           string `name:"otel-resource-attributes" env:"OTEL_RESOURCE_ATTRIBUTES" help:"What else traces say of the process: deployment.environment.name=production,…"`
}

// Size is a number of bytes, written 500MiB or 2GB.
type Size int64

// UnmarshalText reads either kind of unit.
func (s *Size) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("%q is no size: write 500MiB", text)
	}
	*s = Size(n)
	return nil
}

// blobURL is BlobURL, or a directory below DataDir.
func (c Config) blobURL() (string, error) {
	if c.BlobURL != "" {
		return c.BlobURL, nil
	}
	dir, err := filepath.Abs(filepath.Join(c.DataDir, "blobs"))
	if err != nil {
		return "", err
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String(), nil
}

// cacheDir is for what can be computed again.
func (c Config) cacheDir() (string, error) {
	dir, err := filepath.Abs(filepath.Join(c.DataDir, "cache"))
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// ocrProgram is OCRProgram, or the one that was installed with this program.
func (c Config) ocrProgram() (string, error) {
	if c.OCRProgram != "" {
		return exec.LookPath(c.OCRProgram)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path, err := exec.LookPath(filepath.Join(filepath.Dir(self), "clausemill-ocr"))
	if err != nil {
		return "", fmt.Errorf("the program that recognises scans is missing (%w): build it with `make build`, or say where it is in CLAUSEMILL_OCR", err)
	}
	return path, nil
}

// converter is the path of LibreOffice, or empty.
func (c Config) converter() (string, error) {
	if c.Converter != "" {
		return exec.LookPath(c.Converter)
	}
	path, err := exec.LookPath("soffice")
	if err != nil {
		return "", nil //nolint:nilerr // DOC files are then refused with that reason
	}
	return path, nil
}

// trash is how long what was deleted can be brought back.
func (c Config) trash() time.Duration { return time.Duration(max(0, c.TrashDays)) * 24 * time.Hour }
