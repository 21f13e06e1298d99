#!/bin/sh
# Builds the package with each sanitizer, and runs it: SWIFT
set -eu
said=$(mktemp)
trap 'rm -f "$said"' EXIT
for sanitizer in address thread; do
    folder=.build-sanitized-$sanitizer
    # The linker warns of each symbol that the sanitizer exports twice. So its output is shown only if the build fails.
    "$1" build --quiet --package-path Tests/Sanitized --disable-index-store --scratch-path "$folder" \
        --sanitize="$sanitizer" >"$said" 2>&1 || { cat "$said"; exit 1; }
    "$folder/debug/Sanitized"
done
