#!/usr/bin/env bash
# Runs Swift tests with the package's traits: traits.sh SWIFT FOLDER FILTER. Builds the tests alone, without the programs
# that they do not run.
set -eu
with="--traits Network,Instrumentation --scratch-path $2"
# shellcheck disable=SC2086 # words
"$1" build --product heraldPackageTests $with
# shellcheck disable=SC2086
exec bash "$(dirname "$0")/swift-tests.sh" "$1" --no-parallel $with --skip-build --filter "$3"
