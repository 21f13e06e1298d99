#!/usr/bin/env bash
# Compares the library's functions and types with those that were promised, Tests/Api/libherald.abi.xz: api.sh LIBRARY
# [record]. With `record` it writes that file again: after an addition, or for a version with another soname.
set -eu
library=$1 promised=Tests/Api/libherald.abi.xz
command -v abidiff >/dev/null || sh Scripts/install.sh abigail-tools
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
xz -dc $promised >"$folder/promised.abi"
core=CSources/CHerald/include/herald host=CSources/CHeraldHost/include/herald
promised_level=$(sed -n 's/^level //p' Tests/Api/functions.txt)
level=$(sed -n 's/^ *HERALD_LEVEL = \([0-9]*\).*/\1/p' CSources/CHerald/src/first.h)
# The table through which copies of the library call each other (R22) only grows at its end. When it grows, the level
# rises.
table=$folder/functions.txt
grep -oE '\b_\([A-Za-z0-9_ *]*, [Hh]erald[A-Za-z0-9_]*' CSources/CHerald/src/entry_points.h | sed 's/.*, //' >"$table"
grep -v '^level' Tests/Api/functions.txt >"$folder/promised.txt"
if ! head -n "$(wc -l <"$folder/promised.txt")" "$table" | cmp -s - "$folder/promised.txt"; then
    echo "api: The list in entry_points.h no longer begins with Tests/Api/functions.txt: copies that are older could not call it" >&2
    exit 1
fi

if [ "${2:-}" = record ]; then
    # Copies of the library (R22) compare levels before they pass calls on.
    if [ "$level" -le "$promised_level" ] &&
        ! abidiff --suppr "${promised%/*}/private.abignore" "$folder/promised.abi" "$library" >/dev/null; then
        echo "api: functions or types have changed: raise HERALD_LEVEL in first.h, then record" >&2
        exit 1
    fi
    abidw --no-show-locs --no-corpus-path --no-comp-dir-path --no-elf-needed --no-parameter-names --headers-dir $core \
        --headers-dir $host "$library" | xz -9 >$promised
    cp "$table" Tests/Api/functions.txt
    echo "level $level" >>Tests/Api/functions.txt
    exit
fi
status=0 # 1: it cannot compare; 4: something differs
abidiff --no-added-syms --suppr "${promised%/*}/private.abignore" "$folder/promised.abi" "$library" || status=$?
if [ $status -ne 0 ]; then
    echo "api: the library is not what $promised says: see above. 'make api RECORD=record' where that is meant." >&2
    exit 1
fi
echo "api: libherald has all that was promised ($(grep -c "elf-symbol name=.*func-type" "$folder/promised.abi") functions)"

if [ "$level" != "$promised_level" ] || ! cmp -s "$table" "$folder/promised.txt"; then
    echo "api: The list in entry_points.h or HERALD_LEVEL is not what Tests/Api/functions.txt says: raise the level in CSources/CHerald/src/first.h, then: make api RECORD=record" >&2
    exit 1
fi

# A copy passes on every function of the core, with two exceptions: functions that use nothing of a copy's own, and
# posts, which are passed on another way.
if ! {
    printf '%s\n' HeraldStatusGetDescription HeraldGetVersion HeraldNameForAddress HeraldTraceNow HeraldMessageIsPossible \
        HeraldVisitCopies HeraldCenterPostNotification HeraldCenterPostNotificationWithOptions HeraldCenterPostTagged \
        HeraldTopicPost HeraldTopicPostTagged HeraldCenterPostMessage HeraldCenterPostKept HeraldTopicPostKept
    grep -v HeraldTopicTryPost "$table" | grep ^Herald # programs linked with 0.2.0 use it; the others are private
} | sort | diff - <(cat $core/*.h | tr '\n' ' ' | grep -oE 'HERALD_(EXPORT|ADDS) [^;(]*\(' | grep -oE 'Herald[A-Za-z0-9]*\($' | tr -d '(' | sort); then
    echo "api: these are not passed on from one copy of the library to another (entry_points.h)" >&2
    exit 1
fi

# The Swift layer, compared with the last tagged version.
tag=$(git describe --tags --abbrev=0 2>/dev/null || true)
if [ -z "$tag" ]; then
    echo "api: no version has a tag yet, with which the Swift layer could be compared"
else
    ${SWIFT:-swift} package diagnose-api-breaking-changes "$tag" --products Herald
fi
