# Everything that is done with this repository. `make` alone lists it.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

GO ?= go
# Packages under test; `make test PKG=./db/...` narrows it down.
PKG ?= ./...
# How long each fuzz target runs in `make fuzz`.
FUZZTIME ?= 30s
# How many requests `make apifuzz` sends.
CASES ?= 20000
# How many steps `make drift` goes.
WALK ?= 500
# How many files the team of `make moving` has.
FILES ?= 1000
# How many files the list of `make bench-console` has.
LISTED ?= 10000
# How many files its part Upload sends.
UPLOADED ?= 5000
# How many files `make cluster` uploads, and how many of them at once.
SENT ?= 600
ATONCE ?= 50
# The tests that are skipped with -short.
LONG := TestChaos|TestCluster|TestClusterWithoutStore|TestEqualFilesAtOnce|TestEveryCause|TestFullDisk|TestImportHoldsUpNobody|TestPlans|TestPointInTime|TestReady|TestReleaseIsReproducible|TestTrashOutlivesWorkers|TestTypesOfContracts
# The tests of `make browser`; RUN=TestConsoleSearch is one of them.
RUN ?= TestDocumentationPage|TestConsole.*
# Of how many documents `make oracles` and `make corpus` look at one.
SHARE ?= 1
# The newest release; programs have it built in.
VERSION := $(shell cat VERSION)

LINTER := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
DEADCODE := golang.org/x/tools/cmd/deadcode@v0.52.0
OAPI_CODEGEN := github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0

# Runs a command beside a database, a search engine and the OCR child.
TESTENV := $(GO) run ./cmd/internal/testenv --

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  \033[1m%-10s\033[0m %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: deps build ## start all of it on 127.0.0.1:8080, with its data in ./data
	exec bin/clausemill dev

.PHONY: build
build: ## build bin/clausemill, with the console where npm is, and bin/clausemill-ocr
	@GO=$(GO) scripts/fetch-modules.sh
	@scripts/build-console.sh --optional
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/clausemill ./cmd/clausemill
	CGO_ENABLED=1 $(GO) build -trimpath -ldflags '-s -w' -o bin/clausemill-ocr ./cmd/clausemill-ocr

.PHONY: console
console: ## build the console that the program gets, where its sources are newer
	@scripts/build-console.sh

.PHONY: migrate
migrate: build ## bring the database that DATABASE_URL names up to date
	bin/clausemill migrate

.PHONY: image
image: ## build the two container images
	docker build --build-arg VERSION=$(VERSION) --target api -t clausemill/api:$(VERSION) -t clausemill/api .
	docker build --build-arg VERSION=$(VERSION) --target worker -t clausemill/worker:$(VERSION) -t clausemill/worker .

.PHONY: deps
deps:
	@scripts/install-deps.sh

.PHONY: testdeps
testdeps:
	@scripts/install-deps.sh --test
	@scripts/fetch-meilisearch.sh
	@GO=$(GO) scripts/build-s3.sh

.PHONY: test
test: testdeps build ## run every test but the long ones, against real Postgres, Tesseract and Meilisearch
	$(TESTENV) $(GO) test -short -shuffle=on -timeout 30m $(PKG)

.PHONY: long
long: testdeps build ## run the long ones: of several machines, outages, plans of queries, reproducible releases
	$(TESTENV) $(GO) test -count=1 -timeout 60m -run '^($(LONG))$$' ./cmd/e2e ./cmd/internal/release ./db ./nlp/doctype

.PHONY: race
race: testdeps build ## the same with the race detector
	$(TESTENV) $(GO) test -race -shuffle=on -timeout 60m $(PKG)

.PHONY: e2e
e2e: testdeps build ## only the tests of the whole: upload, read, search, kill
	$(TESTENV) $(GO) test -count=1 -v ./cmd/e2e ./cmd/clausemill

.PHONY: cluster
cluster: testdeps build ## upload SENT files, ATONCE at once, to several processes and a bucket while these are killed, cut off and away
	$(TESTENV) $(GO) test -count=1 -v -timeout 3h -run '^TestCluster' ./cmd/e2e -clustered $(SENT) -at-once $(ATONCE)

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME
	scripts/fuzz.sh $(FUZZTIME)

.PHONY: apifuzz
apifuzz: testdeps build ## send CASES generated requests to the API: none may break it
	$(TESTENV) $(GO) test -count=1 -run 'TestAnyRequest$$' ./api -rapid.checks=$(CASES)

.PHONY: drift
drift: testdeps build ## walk WALK steps of changes and outages of the search engine: its index must not drift
	CLAUSEMILL_WALK=$(WALK) $(TESTENV) $(GO) test -count=1 -timeout 60m -run 'TestNoDrift$$' ./search

.PHONY: ranking
ranking: testdeps build ## ask both engines for phrases of the contracts in CLAUSEMILL_DATA
	$(TESTENV) $(GO) test -count=1 -v -timeout 30m -run '^(TestKnownItem|TestAgreement)$$' ./search -known

.PHONY: oracles
oracles: ## have LibreOffice and pandoc read what we make, of one in SHARE documents
	@scripts/install-deps.sh --oracles
	$(GO) test -count=1 -v -timeout 60m ./cmd/oracles -share $(SHARE)

.PHONY: corpus
corpus: testdeps build ## check every number and place told of the contracts in CLAUSEMILL_DATA, of one in SHARE
	$(TESTENV) $(GO) test -count=1 -v -timeout 60m -run '(TestContracts|TestPositionsOfContracts)$$' ./cmd/e2e -share $(SHARE)

.PHONY: moving
moving: testdeps build ## move a team of FILES files to another installation, and compare all of it
	$(TESTENV) $(GO) test -count=1 -v -timeout 60m -run 'TestLargeTeamMoves$$' ./cmd/clausemill -files $(FILES)

.PHONY: duplicates
duplicates: testdeps build ## scan pages of the contracts in CLAUSEMILL_DATA, and find their copies
	$(TESTENV) $(GO) test -count=1 -v -timeout 40m -run 'TestNearDuplicates$$' ./worker -scanned 40

.PHONY: golden
golden: testdeps build ## rewrite the golden files, then read the diff
	$(TESTENV) $(GO) test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -r -n1 dirname | sort -u) -update
	git diff --stat -- '*testdata*'

.PHONY: schema
schema: deps ## write down what the migrations make, then read the diff
	$(TESTENV) $(GO) test -count=1 -run 'TestSchema$$' ./db -update
	git diff --stat -- db/schema.tsv

.PHONY: notices
notices: console ## write THIRD_PARTY_NOTICES: what the programs hold of others, and its licences
	@GO=$(GO) scripts/fetch-modules.sh
	$(GO) run ./cmd/internal/release notices

.PHONY: dump
dump: testdeps build ## keep what the release in VERSION leaves behind, for the tests of upgrades
	$(TESTENV) $(GO) test -count=1 -v -run 'TestDump$$' ./cmd/e2e -dump

.PHONY: freeze
freeze: dump ## freeze the migrations of the release in VERSION, and keep its dump
	cd db/migrations && sha256sum *.sql > released.sum

.PHONY: release
release: deps console ## build what is published of the release in VERSION: archives, SBOMs, hashes, in dist
	@GO=$(GO) scripts/fetch-modules.sh
	$(GO) run ./cmd/internal/release build

.PHONY: generate
generate: ## make the Go client of the OpenAPI document, then read the diff
	$(GO) run $(OAPI_CODEGEN) -config clients/go/generate/config.yaml api/testdata/openapi.json
	$(GO) test -count=1 -run 'TestGenerated$$' ./clients/go -update
	git diff --stat -- clients/go

.PHONY: clients
clients: testdeps build ## call every operation with each client on a running service
	@! command -v npm >/dev/null || npm ci --silent --ignore-scripts --prefix clients/typescript
	$(TESTENV) $(GO) test -count=1 -v -run '(Client|GoExamples)$$' ./cmd/e2e

.PHONY: browserdeps
browserdeps: testdeps build
	@scripts/install-deps.sh --browser || echo "there is no browser: nothing is tried in it" >&2

# Names the browser for tests, and builds the console first.
BROWSER = CLAUSEMILL_BROWSER="$$(command -v chromium || command -v chromium-browser || command -v google-chrome)" $(TESTENV)

.PHONY: browser
browser: browserdeps ## try the documentation and the console in Chromium
	$(BROWSER) $(GO) test -count=1 -v -timeout 60m -run '^($(RUN))$$' ./cmd/e2e

.PHONY: screenshots
screenshots: browserdeps ## the same, with pictures of all pages in ./screenshots, for people to look at
	mkdir -p screenshots
	CLAUSEMILL_PICTURES=$(CURDIR)/screenshots $(BROWSER) $(GO) test -count=1 -timeout 60m -run '^($(RUN))$$' ./cmd/e2e

.PHONY: bench-console
bench-console: browserdeps ## measure the console in Chromium, beside its bounds; PART=List, Document or Upload of it, with LISTED files, and UPLOADED ones sent
	$(BROWSER) $(GO) test -count=1 -v -timeout 60m -run '^$$' -bench 'BenchmarkConsole$$/$(PART)' -benchtime 1x ./cmd/e2e -listed $(LISTED) -uploaded $(UPLOADED)

.PHONY: generators
generators: build ## have generators make clients that upload and read a redline
	@GO=$(GO) scripts/generators.sh $(OAPI_CODEGEN)

.PHONY: ops
ops: ## check the Helm chart, and try the alerts with promtool
	@scripts/install-deps.sh --ops
	cd ops && $(GO) test ./...
	promtool test rules ops/helm/alerts_test.yaml

.PHONY: openapi
openapi: ## print the OpenAPI document
	@$(GO) run ./cmd/clausemill openapi

.PHONY: bench
bench: testdeps build ## measure it beside the programs that a user would script
	bin/clausemill bench

.PHONY: bench-s3
bench-s3: testdeps build ## the same with the files in a real S3 server
	scripts/with-s3.sh bin/clausemill bench

.PHONY: lint
lint: deps ## gofmt, golangci-lint, no dead code, the console's types, the OpenAPI documents, no known vulnerability
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	CGO_ENABLED=0 $(GO) build -trimpath -tags production -o /dev/null ./cmd/clausemill
	$(GO) run $(LINTER) run
	@test -z "$$($(GO) run $(DEADCODE) -test ./... | tee /dev/stderr)"
	@scripts/build-console.sh --optional
	@[ ! -d web/node_modules ] || npm run --silent --prefix web check
	GO=$(GO) scripts/lint-openapi.sh
	@GO=$(GO) scripts/vulnerabilities.sh $(GOVULNCHECK)

.PHONY: check
check: lint race ## all that CI checks, but for the fuzzing
	$(GO) mod verify
