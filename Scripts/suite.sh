#!/usr/bin/env bash
# Runs one suite of a tier: suite.sh NAME COMMAND...
#
# Its output goes into .build-native/logs/NAME.log. On stdout it prints a line a minute while the suite runs, and at the
# end one line with its seconds, the processors' seconds that it took, and its summary, or the lines about the failure.
# These are also in .build-native/logs/NAME.failed, which `make test` prints again as its last lines.
set -u
name=$1
shift
folder=.build-native/logs
log=$folder/$name.log
mkdir -p "$folder"
begin=$(date +%s)

# Process groups of their own, so that a signal ends everything that the suite has started.
set -m
"$@" >"$log" 2>&1 </dev/null &
suite=$!
(
    exec 2>/dev/null
    while sleep 60; do
        echo "... $name, $(($(date +%s) - begin)) s: $(tail -n 1 "$log" 2>/dev/null | tr -d '\r' | cut -c 1-90)"
    done
) &
watch=$!
set +m
trap 'kill -- "-$suite" "-$watch" 2>/dev/null; exit 130' INT TERM HUP
status=0
wait "$suite" || status=$?
kill -- "-$watch" 2>/dev/null
wait "$watch" 2>/dev/null

took=$(($(date +%s) - begin))
# The second line of times: user and system seconds of the children. (In a pipe it would be a subshell's.)
times >"$folder/$name.times"
computed=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, "m"); all += part[1] * 60 + part[2] }
    printf "%.0f", all }' "$folder/$name.times")
if [ "$status" -eq 0 ]; then
    said=$(grep -aE '[0-9]+ passed, |[0-9]+ mutations caught|Test run with [1-9]' "$log" | tail -n 1)
    [ -n "$said" ] || said=$(tail -n 1 "$log")
    said=$(printf '%.100s' "$said" | tr -d '\r')
    printf '%-18s %4d s (%4d s)  %s\n' "$name" "$took" "$computed" "$said"
    exit 0
fi
{
    printf '%-18s %4d s  FAILED, status %d; all of it is in %s\n' "$name" "$took" "$status" "$log"
    # swift-tests.sh has put together what failed, and how it ended. What other suites print of that is looked for.
    if grep -q '^---- What failed:' "$log"; then
        sed -n '/^---- What failed:/,$p' "$log" | cut -c 1-400 | head -n 90
    else
        grep -aE -A 6 'FAILED|recorded an issue|error:|Fatal error|Exited with|ERROR: |WARNING: Thread|NOT CAUGHT|did you mean' "$log" |
            cut -c 1-400 | head -n 60
        echo "---- the end of $log:"
        tail -n 25 "$log" | cut -c 1-1200
    fi
} | tee "$folder/$name.failed"
exit "$status"
