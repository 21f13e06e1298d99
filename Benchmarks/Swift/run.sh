#!/bin/sh
# Measures what posting from Swift costs and writes Benchmarks/Swift/results.json. Run from the repository's root.
set -eu
results=Benchmarks/Swift/results.json
work=$(mktemp "${TMPDIR:-/tmp}/herald.XXXXXX")
trap 'rm -f "$work"' EXIT
touch "$results" || exit 1
swift build -c release --product HeraldTour
swift build -c release --product CoreFoundationPrograms
programs=$(swift build -c release --show-bin-path)
model=$(sed -n 's/^model name[^:]*: *\([A-Za-z]* [A-Za-z]*\).*/\1/p' /proc/cpuinfo | head -n 1)
{
    echo '{'
    echo "\"machine\":\"${model:-unknown processor}, $(nproc) cores\","
    echo "\"kernel\":\"$(uname -r)\","
    echo "\"compiler\":\"$(swift --version 2>/dev/null | sed -n 's/.*\(Swift\) version \([0-9.]*\).*/\1 \2/p' | head -n 1)\","
    echo "\"commit\":\"$(git rev-parse --short HEAD 2>/dev/null || echo unknown)\","
    echo "\"date\":\"$(date +%Y-%m-%d)\","
    echo '"run":"full",'
    echo '"rows":['
    "$programs/HeraldTour" --cost-rows | sed '$s/}$/},/'
    "$programs/CoreFoundationPrograms" costs
    echo ']'
    echo '}'
} >"$work"
cat "$work" >"$results"
