#!/usr/bin/env bash
# The Swift tests, one at a time: the rules measure, and compilers beside them would be measured, too. What failed is
# said once more at the end.
set -u -o pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"${1:-swift}" test --no-parallel 2>&1 | tee "$log"
status=$?
if [ $status -ne 0 ]; then
    echo "---- What failed:"
    grep -aE -A 8 "recorded an issue|error:|Fatal error|Exited with" "$log" | cut -c 1-400 | head -n 80
fi
exit $status
