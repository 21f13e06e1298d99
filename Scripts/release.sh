#!/bin/sh
# Tags a version, if everything that names the version agrees: release.sh VERSION (that of herald.h).
set -eu
version=$1
fail() {
    echo "release: $*" >&2
    exit 1
}
echo "$version" | grep -qE '^[0-9]+\.[0-9]+\.[0-9]+$' || fail "'$version' is no version"
[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed"
! git rev-parse -q --verify "refs/tags/$version" >/dev/null || fail "$version has a tag already"
grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md ||
    fail "CHANGELOG.md has no section '## $version (YYYY-MM-DD)'"
make api abi
git tag -a "$version" -m "Herald $version"
echo "release: $version has its tag. 'git push origin $version' makes it known; 'make deb' packs it."
