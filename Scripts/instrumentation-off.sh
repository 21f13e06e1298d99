#!/bin/sh
# Checks the package with its trait Instrumentation off: a user resolves none of the packages that the trait needs, and
# a call of its API is an error that names the trait.
set -eu
swift=${1:-swift}
herald=$(pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/Sources/User"
cat >"$folder/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "user", dependencies: [.package(name: "herald", path: "$herald")],
    targets: [
        .executableTarget(
            name: "User",
            dependencies: [
                .product(name: "Herald", package: "herald"), .product(name: "HeraldInstrumentation", package: "herald"),
            ])
    ])
EOF
cat >"$folder/Sources/User/main.swift" <<EOF
import Herald
import HeraldInstrumentation
_ = HeraldCenter().instrument()
EOF
if $swift package --package-path "$folder" show-dependencies --format flatlist | grep -E 'swift-(log|metrics|distributed)'; then
    echo "instrumentation off: a user resolves packages that he has not asked for" >&2
    exit 1
fi
if $swift build --package-path "$folder" >"$folder/said" 2>&1; then
    echo "instrumentation off: a call compiles" >&2
    exit 1
fi
grep -q 'enable the trait in your manifest' "$folder/said" || {
    cat "$folder/said" >&2
    exit 1
}
echo "instrumentation off: nothing of it is resolved"
