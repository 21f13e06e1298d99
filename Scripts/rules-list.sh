#!/bin/sh
# Writes the list of rules, from the RULE lines of Tests/Rules, into the folder given; prints the file's path.
set -eu
mkdir -p "$1"
{
    echo '/* Made by make rules-list from the RULE lines of this folder. */'
    cat Tests/Rules/*.c | sed -n 's/^\(HOST_\)\{0,1\}RULE(\([A-Za-z0-9_]*\)) {.*$/RULE_IN_LIST(\2)/p'
} >"$1/list.h"
echo "$1/list.h"
