#!/bin/bash
# Has those who generate clients try the OpenAPI document: each generator makes one
# of it as it is served, the strictest compiler reads that, and the client uploads a
# file to a running service and reads a redline. Wants bin/clausemill, which `make
# build` makes, and says so where npm or a generator cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../clients/generators"
GO=${GO:-go}
OAPI_CODEGEN=$1

skip() {
	echo "the generators were not tried: $*" >&2
	exit 0
}
for program in npm curl; do
	command -v "$program" >/dev/null || skip "$program is not installed"
done
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || skip "they need Node.js 20 or later"

made=$(mktemp -d)
service=
trap '[ -z "$service" ] || { kill "$service" 2>/dev/null; wait "$service" 2>/dev/null || true; }; rm -rf "$made"' EXIT
chmod 711 "$made" # under root the database runs as somebody else
npm ci --silent --ignore-scripts >"$made/npm.log" 2>&1 || skip "the packages of clients/generators could not be fetched: $(tail -n 1 "$made/npm.log")"

port=$((20000 + RANDOM % 10000))
CLAUSEMILL_ADDR=127.0.0.1:$port CLAUSEMILL_METRICS_ADDR=127.0.0.1:0 CLAUSEMILL_DATA_DIR=$made/data CLAUSEMILL_RATE_LIMIT=100000 \
	../../bin/clausemill dev >"$made/log" 2>&1 &
service=$!
export CLAUSEMILL_URL=http://127.0.0.1:$port
for ((i = 0; ; i++)); do
	curl -fs "$CLAUSEMILL_URL/readyz" >/dev/null 2>&1 && break
	[ "$i" -lt 600 ] && kill -0 "$service" 2>/dev/null || { cat "$made/log" >&2; echo "the service did not become ready" >&2; exit 1; }
	sleep 0.1
done

# A service account, as whoever integrates it has one.
browser() { curl -fsS -L -b "$made/jar" -c "$made/jar" "$@"; }
field() { node -e 'let text = ""; process.stdin.on("data", (d) => (text += d)).on("end", () => console.log(JSON.parse(text)[process.argv[1]]))' "$1"; }
browser -o /dev/null "$CLAUSEMILL_URL/auth/login?loginHint=dev@localhost"
browser "$CLAUSEMILL_URL/api/service-accounts" -H 'Content-Type: application/json' \
	-d '{"name": "generated clients", "role": "member", "scopes": ["files:read", "files:write"]}' >"$made/account"
CLAUSEMILL_TOKEN=$(curl -fsS -u "$(field id <"$made/account"):$(field secret <"$made/account")" -d grant_type=client_credentials "$CLAUSEMILL_URL/auth/token" | field access_token)
export CLAUSEMILL_TOKEN
curl -fsS "$CLAUSEMILL_URL/openapi.json" -o "$made/openapi.json"
curl -fsS "$CLAUSEMILL_URL/openapi-3.0.json" -o "$made/openapi-3.0.json"

rm -rf made oapi-codegen/api ogen/api
mkdir -p made oapi-codegen/api
npx --no-install openapi-ts -i "$made/openapi.json" -o made/heyapi -c @hey-api/client-fetch >"$made/npm.log" 2>&1 || { cat "$made/npm.log" >&2; exit 1; }
npx --no-install openapi-typescript "$made/openapi.json" -o made/schema.d.ts >"$made/npm.log" 2>&1 || { cat "$made/npm.log" >&2; exit 1; }
npx --no-install tsc --noEmit
for program in heyapi openapi-typescript; do
	npx --no-install esbuild "$program.ts" --bundle --platform=node --format=esm --outfile="made/$program.mjs" --log-level=warning
	node "made/$program.mjs"
done

# From the root, where the generator's own version is pinned.
(cd ../.. && $GO run "$OAPI_CODEGEN" -config clients/generators/oapi-codegen/config.yaml -o clients/generators/oapi-codegen/api/api.gen.go "$made/openapi.json")
(cd oapi-codegen && $GO vet ./... && $GO run .)

# It reads OpenAPI 3.0 only.
cd ogen
$GO tool ogen --config ogen.yml --target api --package api --clean "$made/openapi-3.0.json" >"$made/ogen.log" 2>&1 || { cat "$made/ogen.log" >&2; exit 1; }
$GO vet ./...
$GO run .
