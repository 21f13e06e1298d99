#!/bin/sh
# Finds the places in the host center where a retry, a mapping or a number of the shared file can do harm.
# Scripts/places.txt lists each with the reason why it does none. Fails when a place is not in the list, or a listed
# place is gone.
#
#       places.sh               the check
#       places.sh --list        all places, in the form of the list and without the reasons
#
# A place is one of these, in one function:
#   loop    a loop that may repeat without a step of its own: for (;;), while, do, and bounded retries (TURNS ...)
#   map     a mapping of memory
#   number  a read of a number that lies in the file or was copied from a record: a field of a struct of layout.h
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
sources=CSources/CHeraldHost/src
list=Scripts/places.txt

fields=$(sed -n 's/^ *\(_Alignas(HERALD_LINE) \)\{0,1\}_Atomic uint[0-9]*_t \([^;]*\);.*/\2/p' $sources/layout.h |
    sed 's/\[[^]]*\]//g; s/, /\n/g' | sort -u | tr '\n' ' ')

find_places() {
    for file in "$sources"/*.c "$sources"/*.h; do
        sed 's|/\*.*\*/||; s|//.*||' "$file" | awk -v file="$(basename "$file")" -v fields="$fields" '
            BEGIN {
                count = split(fields, names, " ")
                for (i = 1; i <= count; i++) shared[names[i]] = 1
                pointers = "(header|entry|entries\\[i\\]|record|ring|channel|block|copy|old|from|fresh|cell|value|keeping|head|part)->[a-z_]+"
                macro = "(ATTEMPTS|TURNS|LOOKS|FILES|MOVES|TIMES|MOST|MOST_SOON|PROBES)"
            }
            /^(\/\*| \*)/ { next }
            /^[A-Za-z_].*[A-Za-z_0-9]\(/ && !/;$/ {
                name = $0
                gsub(/__attribute__\(\([a-z_]*\)\) /, "", name)
                sub(/\(.*/, "", name)
                sub(/.*[^A-Za-z_0-9]/, "", name)
                function_name = name
            }
            { code = $0; gsub(/^ +| +$/, "", code); gsub(/\t/, " ", code) }
            code ~ /^(\} )?while \(/ || code ~ /^do \{/ || code ~ /^for \(.*;;|^for \([^;]*;[^;]*;\)/ ||
                (code ~ /^for \(/ && code ~ ("< " macro "[;) ]")) { print "loop\t" file "\t" function_name "\t" code }
            code ~ /(mmap|mremap|map_into)\(/ && $0 ~ /^ / { print "map\t" file "\t" function_name "\t-" }
            $0 ~ /^ / || /\{.*\}/ {
                rest = $0
                while (match(rest, pointers)) {
                    field = substr(rest, RSTART, RLENGTH)
                    sub(/.*->/, "", field)
                    rest = substr(rest, RSTART + RLENGTH - length(field)) # a->b->c: b may be a pointer, too
                    if (field in shared) print "number\t" file "\t" function_name "\t" field
                }
            }'
    done | sort -u
}

if [ "${1:-}" = --list ]; then
    find_places
    exit
fi

there=$(mktemp) listed=$(mktemp)
trap 'rm -f "$there" "$listed"' EXIT
find_places >"$there"
grep -v '^#' "$list" | grep . | awk -F '\t' 'NF < 5 || $5 == "" { print "no reason: " $0 > "/dev/stderr"; failed = 1 }
    { print $1 "\t" $2 "\t" $3 "\t" $4 } END { exit failed }' | sort -u >"$listed"
new=$(comm -23 "$there" "$listed") gone=$(comm -13 "$there" "$listed")
if [ -n "$new$gone" ]; then
    [ -z "$new" ] || printf 'places: not in %s, with the reason why it does no harm:\n%s\n' "$list" "$new" >&2
    [ -z "$gone" ] || printf 'places: in %s, and there no more:\n%s\n' "$list" "$gone" >&2
    exit 1
fi
echo "places: $(wc -l <"$there") retries, mappings and numbers of the file, each with its reason"
