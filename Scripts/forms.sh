#!/bin/sh
# Writes the functions that observe from the table in Scripts/forms, or checks that they are what the table gives.
# forms.sh write|check PROGRAM SWIFT
set -eu
what=$1 program=$(realpath "$2") swift=$3
written="Sources/Herald/Observe Sources/Herald/WireMisuse.swift Tests/Misuse/WireForms.swift
    Tests/Misuse/WireFormsOfInstances.swift Sources/Herald/Herald.docc/Observing.md"

write() { # FOLDER
    "$program" "$1"
    (cd "$1" && find $written -name '*.swift' -exec "$swift" format -i --configuration "$root/.swift-format" {} +)
}

root=$PWD
if [ "$what" = write ]; then
    write "$root"
    exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/Sources/Herald/Herald.docc"
cp Sources/Herald/Herald.docc/Observing.md "$folder/Sources/Herald/Herald.docc"
write "$folder"
for path in $written; do
    diff -r "$path" "$folder/$path" || { echo "forms: $path is not what Scripts/forms gives: make forms"; exit 1; }
done
echo "forms: as the table gives them"
