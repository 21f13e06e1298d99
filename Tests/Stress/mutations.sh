#!/bin/sh
# Leaves out one step of the protocol at a time and asks the torture to notice.
#
#       mutations.sh [SECONDS]      at most so long for each; CC and SOURCES as the Makefile gives them
#
# A mutation counts as caught when the torture fails: by its own counts, by AddressSanitizer, or by never ending.
# Three steps are the state model's to catch (Tests/Model, which must): without them memory is freed under a poster only
# when its store buffer holds a mark back for as long as another processor needs to unlink and free, or when three
# processors meet within some nanoseconds.
set -u
cd "$(dirname "$0")/../.."
seconds=${1:-10}
compiler=${CC:-cc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

build() { # MUTATION
    $compiler -std=gnu11 -g -O1 -fexceptions -fsanitize=address -DHERALD_TORTURE -DHERALD_RETIRED_ENOUGH=512 \
        -DHERALD_MUTATION="HERALD_DROP_$1" -ICSources/CHerald/include -ICSources/CHerald/src \
        Tests/Stress/torture.c CSources/CHerald/src/*.c -lck -lpthread -o "$folder/torture"
}

passed=0 failed=0
try() { # MUTATION [BARRIER [KIND]]
    build "$1" || exit 1
    if HERALD_BARRIER=${2:-} timeout $((seconds + 40)) "$folder/torture" "$seconds" 1 ${3:-} >"$folder/out" 2>&1; then
        echo "NOT CAUGHT  $1"
        failed=$((failed + 1))
    else
        how=$(grep -oE 'AddressSanitizer: [a-z-]+|late [0-9]+|wrong [0-9]+|doubled [0-9]+|leaked [0-9]+' "$folder/out" |
            grep -v ' 0$' | head -n 1)
        echo "caught      $1: ${how:-did not end}"
        passed=$((passed + 1))
    fi
}

if [ -n "${ONLY:-}" ]; then
    try $ONLY
    exit $failed
fi
build NOTHING || exit 1
"$folder/torture" 2 || { echo "the torture fails without a mutation"; exit 1; }

for mutation in SECTION SECTION_CHECK PIN TOPIC_PIN TOPIC_RECHECK PIN_CHECK CURRENT \
    STATE_CHECK LOOK_BACK FRAME_CHECK LAST_USER_CHECK WAIT LIMIT LIMIT_EARLY LINEAGE HOLD GUEST_SCAN EDITION \
    GENERATION; do
    try $mutation
done
try HEAVY_REMOVE '' hooked
try LIGHT fence hooked
echo "by the model only: HEAVY_RECLAIM, SECTION_LIGHT, ARMED"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
