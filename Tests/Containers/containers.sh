#!/bin/bash
# Prints which containers hear each other: containers.sh COMMAND
# A container is made with unshare. It has mounts, process numbers, a namespace of IPC, /run and a /dev/shm of 64 MB of
# its own, except where a case says otherwise. The machine of these containers is one, too, so that nothing stays behind.
# Status 77: no containers can be made here; the last line says why.
set -eu
if [ "${2-}" != machine ]; then
    skip() { echo "skipped: $*"; exit 77; }
    [ "$(id -u)" = 0 ] || skip "only root can make these containers"
    other="setpriv --reuid 12345 --regid 12345 --clear-groups"
    unshare -mpif --mount-proc true 2> /dev/null && $other unshare -Urpf --mount-proc true 2> /dev/null ||
        skip "no namespaces can be made here"
    folder=$(mktemp -d /tmp/herald-containers.XXXXXX)
    trap 'rm -rf "$folder"' EXIT
    chmod 755 "$folder"
    cp "$(realpath "$1")" "$folder/herald" # where the other user can reach it
    $other "$folder/herald" --version > /dev/null 2>&1 ||
        skip "another user cannot run the command: it needs libraries of a toolchain that this user cannot read"
    timeout -s KILL 240 unshare -mpif --kill-child=KILL --mount-proc bash "$0" "$folder/herald" machine "$folder"
    exit
fi
PATH=$(dirname "$1"):$PATH
unset HERALD_HOST_DIRECTORY XDG_RUNTIME_DIR
cd "$3"
mount -t tmpfs none /run
mount -t tmpfs -o mode=1777 none /dev/shm
mkdir own volume pod shm mnt
for of in volume shm; do mount -t tmpfs -o mode=1777 none $of; done
mount -t tmpfs -o mode=0777 none pod # as Kubernetes makes an emptyDir
mkdir -m 0700 volume/0 volume/12345 && chown 12345 volume/12345
chmod 755 .

cat > enter <<'ENTER'
mount -t tmpfs none /run
[[ $mounts = *:/dev/shm* ]] || mount -t tmpfs -o mode=1777,size=${size:-64m} none /dev/shm
for mount in $mounts; do mkdir -p "${mount#*:}" && mount --bind "${mount%:*}" "${mount#*:}"; done
[ -z "$folder" ] || export HERALD_HOST_DIRECTORY=$folder
[ "$user" = 0 ] || exec setpriv --reuid $user --regid $user --clear-groups "$@"
exec "$@"
ENTER
# Runs a command in a container. Its settings come first: mounts=FROM:TO,... size=, folder=, user=, kinds=.
contained() {
    local mounts='' size='' folder='' user=0 kinds=-mpi
    while [[ $1 = *=* ]]; do local "$1"; shift; done
    mounts=${mounts//,/ } size=$size folder=$folder user=$user \
        unshare $kinds -f --kill-child=KILL --mount-proc bash enter "$@"
}

# Whether a post of the second container is heard in the first. The first posts "end" itself, after the other's post: names
# are heard in order.
cat > listen <<'LISTEN'
herald watch post end --then 'touch ready; until [ -e posted ]; do sleep 0.01; done; herald post end' | sed -n '/end/q; p'
LISTEN
hears() { # TEXT "SETTINGS" "SETTINGS"
    rm -f ready posted && chmod 777 .
    contained $2 bash listen > heard 2>&1 & local listener=$!
    until [ -e ready ] || ! kill -0 $listener 2> /dev/null; do sleep 0.01; done
    contained $3 herald post post > said 2>&1 || true
    touch posted
    wait $listener || true
    if [ "$(cat heard)" = post ]; then echo "heard: $1"; else echo "not heard: $1"; fi
    sed "s|$PWD|.|" said
}
path() { contained "$@" herald path 2>&1 | sed "s|$PWD|.|g"; }

echo "- Each container has its own /dev/shm, unless they share it"
hears "defaults" "size=64m" "size=64m"
hears "one namespace of IPC, two /dev/shm" "kinds=-mp" "kinds=-mp"
hears "one /dev/shm, two namespaces of IPC" "mounts=shm:/dev/shm" "mounts=shm:/dev/shm"
hears "the machine's process numbers, and those of a container" "mounts=shm:/dev/shm kinds=-mi" "mounts=shm:/dev/shm"
path mounts=shm:/dev/shm

echo "- A folder that both mount"
hears "HERALD_HOST_DIRECTORY, two paths" "mounts=volume/0:mnt/a folder=$PWD/mnt/a" "mounts=volume/0:mnt/b folder=$PWD/mnt/b"
hears "the runtime folder" "mounts=volume/0:/run/user/0" "mounts=volume/0:/run/user/0"

echo "- Users"
hears "two users, one /dev/shm" "mounts=shm:/dev/shm" "mounts=shm:/dev/shm user=12345"
hears "two users, one folder" "folder=$PWD/volume/0" "folder=$PWD/volume/0 user=12345"
rootless="setpriv --reuid 12345 --regid 12345 --clear-groups unshare -Urpf --kill-child=KILL --mount-proc"
# The last one finds its first name taken, by the machine's user 0.
contained mounts=shm:/dev/shm user=12345 herald path 2> /dev/null
contained mounts=shm:/dev/shm $rootless herald path 2> /dev/null
rm -f ready posted
contained folder=$PWD/volume/12345 user=12345 bash listen > heard & listener=$!
until [ -e ready ]; do sleep 0.01; done
contained folder=$PWD/volume/12345 $rootless herald post post; touch posted; wait $listener
echo "rootless, one folder: $(cat heard)"

echo "- A folder to which everybody can write"
hears "as /dev/shm" "mounts=pod:/dev/shm user=12345" "mounts=pod:/dev/shm user=12345"
path folder=$PWD/pod || true
path folder=$PWD/pod user=12345 || true

echo "- A machine with a login, and a container with its /dev/shm"
hears "they have two files" "mounts=shm:/dev/shm,volume/0:/run/user/0" "mounts=shm:/dev/shm"
rm -f ready
contained mounts=shm:/dev/shm herald watch a --once --then 'touch ready' > /dev/null & container=$!
until [ -e ready ]; do sleep 0.01; done
path mounts=shm:/dev/shm,volume/0:/run/user/0
contained mounts=shm:/dev/shm herald post a; wait $container
hears "with the runtime folder, too" "mounts=volume/0:/run/user/0" "mounts=shm:/dev/shm,volume/0:/run/user/0"

echo "- Room"
used() { [ "$(du -k /dev/shm/herald-0-3 | cut -f1)" -lt $1 ] && echo "less than $1 KiB"; }
export -f used
contained bash -c 'herald post a; used 512; herald post a --message x; used 2048'
contained size=200k herald post a 2>&1 || echo $?
contained size=8m bash -c "
    herald watch a --count 2 --timeout 60 --then '(
        head -c 20m /dev/zero > /dev/shm/other 2> /dev/null; herald post a; echo \$?
        herald post a --message x; echo \$?; rm /dev/shm/other; herald post a --message y; echo \$?) > said 2>&1; touch over'
    until [ -e over ]; do sleep 0.01; done; cat said"
