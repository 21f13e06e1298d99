#!/bin/sh
# Fails with the way to get a tool when the tool is missing: need.sh TOOL HOW.
command -v "$1" >/dev/null 2>&1 && exit 0
echo "make: $1 is missing: $2" >&2
exit 1
