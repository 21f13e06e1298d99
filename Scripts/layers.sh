#!/bin/sh
# Checks that the modules of a folder (a .c file with its .h) form layers: no two of them use each other, directly or
# through others. It reads their includes and the calls in their objects. Prints the modules bottom up; or prints the
# circle, and fails.
#
#       layers.sh FOLDER OBJECTS        the folder of the sources, and that of their objects
set -eu
folder=$1 objects=$2
uses=$(mktemp)
trap 'rm -f "$uses" "$uses.circle"' EXIT

awk '
    FNR == 1 { module = FILENAME; sub(/.*\//, "", module); sub(/\.[ch]$/, "", module); print module, module }
    /^#include "[a-z_]*\.h"$/ { sub(/^#include "/, ""); sub(/\.h"$/, ""); print module, $0 }
' "$folder"/*.c "$folder"/*.h >"$uses"

compiled=
for file in "$folder"/*.c; do
    module=${file##*/}
    compiled="$compiled $objects/${module%.c}.o"
done
# shellcheck disable=SC2086
nm -g -A $compiled | sed 's|^[^:]*/\([^/:]*\)\.o:|\1 |' | awk '
    $(NF - 1) == "U" { calls[$1 " " $NF] = $1; next }
    { home[$NF] = $1 }
    END {
        for (call in calls) {
            split(call, part, " ")
            own = "herald_own_" part[2] # the function of this copy: public.c only chooses the copy
            if (own in home) print part[1], home[own]
            else if (part[2] in home) print part[1], home[part[2]]
        }
    }
' >>"$uses"

if order=$(tsort "$uses" 2>"$uses.circle"); then
    echo "$folder, bottom up: $(echo "$order" | tac | tr '\n' ' ')"
else
    echo "$folder: these modules use each other in a circle:" $(sed -n "s/^tsort: \([a-z_]*\)\$/\1/p" "$uses.circle" | sort -u) >&2
    exit 1
fi
