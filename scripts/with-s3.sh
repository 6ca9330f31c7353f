#!/bin/sh
# Runs a command beside a real S3 server with an empty bucket, which BLOB_URL names to it.
# scripts/build-s3.sh builds the server.
set -eu
program=$(cd "$(dirname "$0")/.." && pwd)/.cache/versitygw/versitygw
address=127.0.0.1:${S3_PORT:-7070}
[ -x "$program" ] || {
	echo "there is no $program" >&2
	exit 1
}
if curl -s -o /dev/null "http://$address"; then
	echo "another server answers at $address: name a free port by S3_PORT" >&2
	exit 1
fi
home=$(mktemp -d)
mkdir -p "$home/buckets/contracts" "$home/metadata"
export AWS_ACCESS_KEY_ID=clausemill AWS_SECRET_ACCESS_KEY=clausemill-of-tests
ROOT_ACCESS_KEY=$AWS_ACCESS_KEY_ID ROOT_SECRET_KEY=$AWS_SECRET_ACCESS_KEY \
	"$program" --port "$address" --keep-alive --quiet posix --sidecar "$home/metadata" "$home/buckets" >"$home/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$home"' EXIT
until curl -s -o /dev/null "http://$address"; do
	kill -0 $server 2>/dev/null || { cat "$home/log" >&2; exit 1; }
	sleep 0.1
done
export BLOB_URL="s3://contracts?region=us-east-1&use_path_style=true&endpoint=http://$address"
"$@"
