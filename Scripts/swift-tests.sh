#!/usr/bin/env bash
# Runs Swift tests: swift-tests.sh SWIFT [ARGUMENT...]. Prints the failures again at the end.
set -u -o pipefail
swift=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$swift" test "$@" 2>&1 | tee "$log"
status=$?
if [ $status -ne 0 ]; then
    echo "---- What failed:"
    failed=$(grep -aE -A 8 "recorded an issue|error:|Fatal error|Exited with" "$log" | grep -av "^[◇✔]" | cut -c 1-400)
    { [ -n "$failed" ] && echo "$failed" || tail -n 25 "$log"; } | head -n 80
fi
exit $status
