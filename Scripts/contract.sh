#!/bin/sh
# Checks that each rule that a test, a header or a source names (R1 to R99) has its paragraph in CONTRACT.md. Checks
# that a test's number fits its name: each rule has words, one of which must be in the name. Checks that the tests that
# the guide's page WhatBitOthers names exist: the last column of its tables has `test`, `file` or a file alone. Checks
# that the lines of CSources exist of which Tests/Coverage says why no test runs them.
set -eu
fail=0
complain() {
    echo "contract: $*" >&2
    fail=1
}
# Also what git does not track yet.
files() { git ls-files --cached --others --exclude-standard "$@"; }
search() { git grep --untracked "$@"; }

for rule in $(files 'Tests/*' 'CSources/*' 'Sources/*' | grep -E '\.(c|h|cpp|swift|md|sh|mk)$' | xargs cat |
    grep -oE '\bR[0-9]{1,2}(_|\b)' | sed 's/R0*//; s/_//' | sort -nu); do
    grep -q "^### R$rule\. " CONTRACT.md && continue
    complain "R$rule is named by $(search -lE "\bR0*$rule(_|\b)" -- Tests CSources Sources | tr '\n' ' ')and has no paragraph in CONTRACT.md"
done

# RULE, the words for the names of its tests.
words=$(mktemp)
trap 'rm -f "$words" "$words.tests" "$words.shown"' EXIT
cat >"$words" <<'END'
1 call|hear|heard|reach|argument|kind|match|filter|name|subject|observer
2 order|first|then|place
3 where|thread|synchron|before_the_post|stack|actor|queue|once|runs|turn
4 once|twice|each|again
5 add|came|come
6 remov|ended|gone|cancel|running_post|dies|dropped
7 nest|re_?entr|inside|callback|within|recurs|itself|may_|hook
8 remov|match|leave
9 token|stale
10 releas|leak|center_that_ends|hook|dies|freed|given_back|owner|deinit|weak|keep
11 wait|deadlock|hook|then
12 object|subject
13 name|literal|text
14 memor|alloc|nothing|cost|wake|grow|leak|freed|call|footprint|bytes|takes|registrations
15 refus|fail|error|bad|status|try_post|argument|option|nothing|hook|falls|misuse|invalid|limit|report|wrong|crash|trap
16 suspen|held|hold|resum|queue|coalesc|deliver|drop|backlog|kept|wait|stopped|behavior|at_once|flush
17 throw|ends?_its|leav|unwind|exit
18 fork|child
19 center|topic|life|misuse|release|reference|destroy
20 thread
21 tag|userinfo|payload|borrowed|callback|own_message|key_of|typed
22 cop(y|ies)|plugin
23 messag|los[est]|miss|gap|letter|log|poster|sender|flood|ring|borrow|decode|encode|wire|observers_of_any|heard|carr|large|posted|cop(y|ies)|kept|status|replay|nobody_hears
24 trac|visit|inspect|look|label|describ|count|observation|watch|told|list|mailbox|followed|caller|seen|said|shown|span
25 kept|keep|begin|begun|lane|forg[eo]t|follower|latecomer
26 prefix|under|widest|wider|subscription
27 transport|center_of_wider|carr|told
28 store|durable
29 signal|topic|quiet
30 block
END

{
    search -hoE '^(SLOW_)?(HOST_)?RULE\([0-9]+, \w+' -- Tests | sed -E 's/^[A-Z_]*\(([0-9]+), /\1 /'
    search -hoE '(func |def test_)R[0-9]{2}_\w+' -- Tests | sed -E 's/^(func |def test_)R0*([0-9]+)_/\2 /'
} >"$words.tests"
search -nE '(func |def test_|static void )R[0-9]_' -- Tests && complain "a rule's number has two digits in a test's name"
search -nE 'TEST\(R[0-9]+_' -- Tests && complain "TEST gives a name alone: RULE(6, name) is the test of a rule"
[ -s "$words.tests" ] || complain "git finds no tests here"
awk '
    NR == FNR { if (NF > 1) meant[$1] = $2; next }
    !($1 in meant) { wrong = "R" $1 " has no words in Scripts/contract.sh; " $2 " is a test of it" }
    $1 in meant && tolower($2) !~ meant[$1] {
        wrong = $2 " is called a test of R" $1 ", and has none of its words (" meant[$1] ")"
    }
    wrong { print "contract: " wrong; wrong = ""; fail = 1 }
    END { exit fail }
' "$words" "$words.tests" >&2 || fail=1

page=Sources/Herald/Herald.docc/WhatBitOthers.md
sed -n 's/^|.*| \(`[^|]*`\) |$/\1/p' "$page" | sed 's/; /\n/g' | tr -d '`,' >"$words.shown"
[ "$(wc -l <"$words.shown")" -ge 20 ] || complain "$page names few tests: its tables have another form"
while read -r name file; do
    [ -n "$file" ] || { file=$name name=; }
    paths=$(files "Tests/*/$file")
    if [ -z "$paths" ]; then
        complain "$page names $file, which is not in Tests"
    elif [ -n "$name" ]; then
        # shellcheck disable=SC2086
        grep -qE "(func |(RULE|TEST)\(([0-9]+, )?)$name\b" $paths || complain "$page names $name, which is not in $file"
    fi
done <"$words.shown"

awk -f Tests/Coverage/reasons.awk Tests/Coverage/reasons.txt >&2 || complain "take these lines out, or write what became of them"

[ $fail -eq 0 ] || exit 1
echo "contract: each of $(grep -c '^### R[0-9]' CONTRACT.md) rules has its paragraph, and every one that is named;" \
    "$(wc -l <"$words.tests") tests are about the rule whose number they have;" \
    "$(wc -l <"$words.shown") tests that a page of the guide names exist"
