#!/bin/sh
# Renders the committed results, Benchmarks/*/results.json, into README.md, each between the two lines that mark its
# place. Run from the repository's root. With --check nothing changes, and a difference is shown and an error.
set -eu
LC_ALL=C
export LC_ALL

readme=README.md
check=false

fail() {
    echo "render.sh: $1" >&2
    exit 1
}

case $# in
0) ;;
1) [ "$1" = --check ] || fail "usage: render.sh [--check]"; check=true ;;
*) fail "usage: render.sh [--check]" ;;
esac
[ -r "$readme" ] || fail "there is no $readme here"

work=$(mktemp -d "${TMPDIR:-/tmp}/render.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

render() { # FOLDER
results=Benchmarks/$1/results.json
mark="figures of $1"
[ -r "$results" ] || fail "there is no $results here: run make bench, in the repository's root"
grep -q '^{"row":' "$results" || fail "there are no rows in $results: run make bench"

awk '
# The value of a key: the file has one row to a line and no escapes.
function field(key,   rest) {
    if (!match($0, "\"" key "\": *")) return ""
    rest = substr($0, RSTART + RLENGTH)
    if (substr(rest, 1, 1) == "\"") {
        rest = substr(rest, 2)
        sub(/".*/, "", rest)
    } else {
        sub(/[,}].*/, "", rest)
    }
    return rest == "null" ? "" : rest
}
function number(value, unit) {
    if (value == "") return ""
    value += 0
    if (value < 1000 && value != int(value)) value = sprintf("%.2f", value)
    else value = sprintf("%.0f", value)
    return unit == "" ? value : value " " unit
}
function proportion(value) { return value != "" && value < 0.1 ? sprintf("1/%.0f", 1 / value) : number(value, "") }
/^{"row":/ {
    unit = field("unit")
    budget = field("budget")
    if (field("met") == "false") budget = budget ", **missed**"
    gsub(/<=/, "\342\211\244", budget)
    gsub(/>=/, "\342\211\245", budget)
    rows = rows "| " field("row") " | " number(field("value"), unit) " | " number(field("floor"), unit) " | " \
        proportion(field("ratio")) " | " budget " |\n"
    next
}
/^"machine":/ { machine = field("machine") }
/^"kernel":/ { kernel = field("kernel") }
/^"compiler":/ { compiler = field("compiler") }
/^"commit":/ { commit = field("commit") }
/^"date":/ { date = field("date") }
/^"run":/ { if (field("run") == "quick") quick = ", a quick run" }
END {
    print "| | cost | beside the floor | ratio | budget |"
    print "|---|---:|---:|---:|---|"
    printf "%s", rows
    print ""
    print machine "; Linux " kernel "; " compiler "; commit " commit ", " date quick "; `make bench`."
}
' "$results" > "$work/figures"

awk -v figures="$work/figures" -v mark="$mark" '
$0 == "<!-- " mark ": begin -->" {
    begins++
    if (ends) misplaced = 1
    print
    print ""
    while ((getline line < figures) > 0) print line
    print ""
    inside = 1
    next
}
$0 == "<!-- " mark ": end -->" {
    if (!begins) misplaced = 1
    ends++
    inside = 0
}
!inside { print }
END { exit !(begins == 1 && ends == 1 && !misplaced) }
' "$work/readme" > "$work/next" ||
    fail "$readme needs one line '<!-- $mark: begin -->' and, below it, one line '<!-- $mark: end -->'"
mv "$work/next" "$work/readme"
}

cp "$readme" "$work/readme"
render Swift
render Core
render Host

if $check; then
    diff -u "$readme" "$work/readme" || fail "$readme and the committed results differ: run make bench-render"
elif ! cmp -s "$readme" "$work/readme"; then
    cat "$work/readme" > "$readme"
fi
