#!/usr/bin/env bash
# Packs libherald0, libherald-dev and herald into FOLDER: deb.sh FOLDER VERSION. Then installs them into a separate
# root, uses them there, and removes them.
set -eu
folder=$(realpath "$1") version=$2 top=$(pwd)
missing=
command -v dh >/dev/null || missing=debhelper
command -v dpkg-buildpackage >/dev/null || missing="$missing dpkg-dev"
command -v fakeroot >/dev/null || missing="$missing fakeroot"
command -v pkg-config >/dev/null || missing="$missing pkg-config"
# shellcheck disable=SC2086 # one word each
[ -z "$missing" ] || sh Scripts/install.sh $missing

rm -rf "$folder"
mkdir -p "$folder/herald"
cp -r Scripts/debian "$folder/herald/debian"
cat > "$folder/herald/debian/changelog" <<END
herald ($version) unstable; urgency=medium

  * See CHANGELOG.md.

 -- the Herald authors <herald@localhost>  $(git log -1 --format=%cD 2>/dev/null || date -R)
END
(cd "$folder/herald" && HERALD=$top DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage -b -us -uc -d -rfakeroot >"$folder/log" 2>&1) || {
    tail -n 30 "$folder/log"
    exit 1
}

# ---- In a separate root ----------------------------------------------------------------------------------------------
root=$folder/root
mkdir -p "$root/var/lib/dpkg"
packer() { dpkg --root="$root" --force-not-root --force-depends --force-bad-path --log=/dev/null "$@"; }
packer -i "$folder"/*.deb >/dev/null
triple=$(cc -print-multiarch)
cat > "$folder/use.c" <<'END'
#include <herald/herald.h>
#include <stdio.h>
static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)observer, (void)object, (void)userInfo;
    printf("heard %s\n", HeraldNameGetUTF8String(name));
}
int main(void) {
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    HeraldNameRef name = HeraldNameCreate("packed");
    static int me;
    if (HeraldCenterAddObserver(center, &me, hear, name, NULL, HeraldSuspensionHold) != HeraldOK) return 1;
    return HeraldCenterPostNotification(center, name, NULL, NULL, false) != 1;
}
END
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/$triple/pkgconfig
# shellcheck disable=SC2046 # words
cc -Wall -Wextra -Werror "$folder/use.c" $(pkg-config --cflags --libs herald) -o "$folder/use"
[ "$(LD_LIBRARY_PATH=$root/usr/lib/$triple "$folder/use")" = "heard packed" ]
# shellcheck disable=SC2046
cc "$folder/use.c" $(pkg-config --cflags herald) "$root/usr/lib/$triple/libherald.a" -lck -lpthread -o "$folder/use"
[ "$("$folder/use")" = "heard packed" ]
export HERALD_HOST_DIRECTORY=$folder/host
mkdir -p -m 700 "$HERALD_HOST_DIRECTORY"
[ "$("$root/usr/bin/herald" --version)" = "$version" ]
"$root/usr/bin/herald" post packed
[ -x "$root/usr/libexec/herald/herald-web" ]
if ldd "$root/usr/bin/herald" | grep libswift; then
    echo "deb: the command needs a toolchain's libraries" >&2
    exit 1
fi
for file in man/man1/herald.1.gz bash-completion/completions/herald zsh/vendor-completions/_herald \
    fish/vendor_completions.d/herald.fish; do
    [ -s "$root/usr/share/$file" ] || { echo "deb: there is no $file" >&2; exit 1; }
done
packer -P herald libherald-dev libherald0 >/dev/null
left=$(find "$root" -type f -not -path '*/var/lib/dpkg/*')
[ -z "$left" ] || { echo "deb: removing the packages has left $left" >&2; exit 1; }
ls "$folder"/*.deb
