#!/usr/bin/env bash
# Runs the rules in C and the Swift tests with PART, which is one word, in their names: filtered.sh BUILD JOBS SWIFT PART.
# The rules of the network center are among them if libnats and nats-server are installed. It is a mistake if none has one.
set -u -o pipefail
build=$1 jobs=$2 swift=$3
part=$(sed -E 's/^R([0-9])$/R0\1/' <<<"$4") # R6 is R06
log=$(mktemp)
trap 'rm -f "$log"' EXIT

rules=$("$build/rules" --list "$part" 2>&1 || "$build/inside" --list "$part" 2>/dev/null)
has_rules=$?
[ $has_rules -ne 0 ] || sh Scripts/rules.sh "$build/rules" "$build/inside" --jobs "$jobs" "$part" || exit
PATH=$PATH:/usr/sbin
network=("$build/rules-network" "$build/inside-network") # with libnats
if command -v nats-server >/dev/null && { "${network[0]}" --list "$part" || "${network[1]}" --list "$part"; } >/dev/null 2>&1; then
    sh Scripts/rules.sh "${network[@]}" --jobs 4 "$part" || exit
    has_rules=0
elif [ $has_rules -ne 0 ]; then
    echo "No rule in C has $part in its name; the Swift tests are next."
fi
# Some of the Swift tests run the command, which takes a minute to build at first.
running=$(grep -rlE 'heraldCommand|Scratch|networkScript' Tests --include='*.swift')
if grep -q -- "$part" <<<"$running" || grep -qE -- "(func|struct|class) \w*$part" $running; then
    make --no-print-directory command || exit
fi
bash Scripts/swift-tests.sh "$swift" --no-parallel --filter "$part" 2>&1 | tee "$log" || exit
if [ $has_rules -ne 0 ] && ! grep -qE 'Test run with [1-9]' "$log"; then
    case $rules in *"did you mean"*) echo "$rules" >&2 ;; esac
    echo "No rule and no Swift test has $part in its name. $build/rules --list and swift test list print the names." >&2
    exit 64
fi
