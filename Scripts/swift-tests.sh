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
    grep -aE -A 8 --no-group-separator \
        'recorded an issue|error:|Fatal error|Exited with|WARNING: Thread|ERROR: |FAILED' "$log" |
        grep -avE '^(◇|✔)' | cut -c 1-400 | head -n 60
    # A run that did not come to its end: what it printed last says where.
    grep -qa 'recorded an issue' "$log" && ! grep -qa 'Exited with' "$log" || { echo ... && tail -n 25 "$log" | cut -c 1-400; }
fi
exit $status
