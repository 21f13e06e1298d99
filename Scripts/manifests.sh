#!/bin/sh
# Builds a package with each block of manifest lines that the README and the guides show, against a clone of this
# checkout: manifests.sh SWIFT. A block begins with .package( or .target(; one without .package( has the README's.
#
# Without the trait Instrumentation none of the packages that it needs is resolved, and a call of its API is an error
# that names the trait.
set -eu
swift=${1:-swift}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "manifests: $*" >&2
    exit 1
}

# The clone has the files of this folder, also what is not committed.
herald=$folder/herald user=$folder/user
mkdir -p "$herald" "$folder/blocks" "$folder/tmp" "$user/Sources/App"
export TMPDIR="$folder/tmp" # Swift leaves folders there
git ls-files --cached --others --exclude-standard | while read -r file; do [ ! -e "$file" ] || echo "$file"; done |
    xargs cp --parents -t "$herald"
git -C "$herald" init -q -b main
git -C "$herald" add -A
git -C "$herald" -c user.name=Herald -c user.email=herald@localhost -c commit.gpgsign=false -c core.hooksPath=/dev/null commit -q -m Clone

# A file for each block, named after the page and the line, with the clone's address.
awk -v folder="$folder/blocks" -v herald="$herald" '
    FNR == 1 {fenced = on = 0}
    /^```/ {fenced = !fenced; on = 0; first = fenced && $0 == "```swift"; next}
    first {on = /^\.(package|target)\(/; first = 0; name = FILENAME; gsub(/.*\//, "", name); file = folder "/" name ":" FNR}
    on {sub(/<URL of the repository>/, herald); print > file}' README.md Sources/Herald/Herald.docc/*.md
readme=$(grep -h '^\.package' "$folder"/blocks/README.md:*)

# Writes the package of a block: a program that imports the products.
write() { # BLOCK
    targets=$(grep '^\.target(' "$1") ||
        targets=".executableTarget(name: \"App\", dependencies: [
$(grep '^\.product(' "$1")
])"
    cat >"$user/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "user", dependencies: [
$(grep '^\.package(' "$1" || echo "$readme")
    ], targets: [
$targets
    ])
EOF
    rm -f "$user"/Sources/App/*
    file=main
    [ "${targets#.target}" = "$targets" ] || file=App
    grep -o 'product(name: "[A-Za-z]*"' "$1" | sed 's/.*"\(.*\)"/import \1/' >"$user/Sources/App/$file.swift"
}

count=0
for block in $(grep -L traits: "$folder"/blocks/*) $(grep -l traits: "$folder"/blocks/*); do
    echo "manifests: $(basename "$block")"
    write "$block"
    $swift build --quiet --package-path "$user" || fail "$(basename "$block") does not build"
    count=$((count + 1))
done
[ $count -ge 6 ] || fail "only $count blocks were found"

write "$(echo "$folder"/blocks/README.md:*)"
if $swift package --package-path "$user" show-dependencies --format flatlist | grep -E 'swift-(log|metrics|distributed)'; then
    fail "a user resolves packages that he has not asked for"
fi
sed -i 's/package: "herald"/&), .product(name: "HeraldInstrumentation", package: "herald"/' "$user/Package.swift"
printf 'import Herald\nimport HeraldInstrumentation\n_ = HeraldCenter().instrument()\n' >"$user/Sources/App/main.swift"
if $swift build --package-path "$user" >"$folder/said" 2>&1; then fail "without the trait a call compiles"; fi
grep -q 'enable the trait in your manifest' "$folder/said" || {
    cat "$folder/said" >&2
    fail "without the trait a call has another error"
}
echo "manifests: $count passed, 0 failed"
