#!/bin/sh
# Runs a program of this folder and sends it signals: test.sh COMMAND...
# It prints "ready", then app.reload for each SIGHUP, then app.end for SIGTERM, and ends with 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
: >"$folder/said"
"$@" >"$folder/said" &
program=$!

# If a signal is sent twice before it is read, it arrives once. So this waits for each line.
await() { # LINES
    for _ in $(seq 1 3000); do
        [ "$(wc -l <"$folder/said")" -ge "$1" ] && return
        kill -0 $program 2>/dev/null || break
        sleep 0.01
    done
    echo "FAILED: $* lines did not come: $(cat "$folder/said")"
    kill -KILL $program 2>/dev/null || true
    exit 1
}

await 1
kill -HUP $program
await 2
kill -HUP $program
await 3
kill -TERM $program
status=0
wait $program || status=$?
expected="ready app.reload app.reload app.end"
if [ "$(echo $(cat "$folder/said"))" != "$expected" ] || [ $status -ne 0 ]; then
    echo "FAILED: $*: status $status, $(cat "$folder/said")"
    exit 1
fi
echo "signals: $* passed"
