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

for file in "$folder"/*.c "$folder"/*.h; do
    module=$(basename "$file" | sed 's/\.[ch]$//')
    echo "$module $module"
    sed -n "s/^#include \"\([a-z_]*\)\.h\"\$/$module \1/p" "$file"
done >"$uses"

for file in "$folder"/*.c; do
    module=$(basename "$file" .c)
    nm -g "$objects/$module.o" | sed "s/^/$module /"
done | awk '
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
