#!/bin/sh
# Checks that each rule which a test, a header or a source names (R1 to R99) has its paragraph in CONTRACT.md.
set -eu
missing=0
for rule in $(git ls-files 'Tests/*' 'CSources/*' 'Sources/*' | grep -E '\.(c|h|cpp|swift|md|sh)$' | xargs cat |
    grep -oE '\bR[0-9]{1,2}(_|\b)' | sed 's/R0*//; s/_//' | sort -nu); do
    grep -q "^### R$rule\. " CONTRACT.md && continue
    echo "R$rule is named by:" $(git grep -lE "\bR0*$rule(_|\b)" -- Tests CSources Sources) "and has no paragraph in CONTRACT.md" >&2
    missing=1
done
[ $missing -eq 0 ] && echo "contract: each of $(grep -c '^### R[0-9]' CONTRACT.md) rules has its paragraph, and every one that is named"
