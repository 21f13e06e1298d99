#!/bin/sh
# Runs a command N times, and stops at the first failure: repeat.sh N COMMAND...
set -eu
times=$1 round=1
shift
while [ "$round" -le "$times" ]; do
    "$@" || { [ "$times" -eq 1 ] || echo "repeat: round $round of $times failed" >&2; exit 1; }
    [ "$times" -eq 1 ] || echo "repeat: $round of $times passed"
    round=$((round + 1))
done
