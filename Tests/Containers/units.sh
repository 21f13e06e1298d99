#!/bin/bash
# Starts a systemd in namespaces of its own, which runs the units of the documentation: units.sh COMMAND
# The units and what they run share nothing with this machine but its programs. The script prints what is seen.
# Its end with status 77 means that a systemd cannot run here; the last line says why.
set -eu
page=$(realpath "$(dirname "$0")/../../Sources/Herald/Herald.docc/ContainersAndServices.md")
steps=$(realpath "$(dirname "$0")/units-steps.sh")
skip() { echo "skipped: $*"; exit 77; }

[ -x /lib/systemd/systemd ] && command -v systemctl > /dev/null || skip "systemd is not installed"
[ "$(id -u)" = 0 ] || skip "only root can start a systemd of the system"
groups=$(awk '$3 == "cgroup2" {print $2; exit}' /proc/mounts)
group=$groups/herald-units.$$
[ -n "$groups" ] && mkdir "$group" 2> /dev/null || skip "no control group can be made here"
folder=$(mktemp -d /tmp/herald-units.XXXXXX)
chmod 755 "$folder"
# The group goes with its last process.
trap 'rm -rf "$folder"
    for i in $(seq 100); do
        find "$group" -depth -type d -exec rmdir {} + 2> /dev/null; [ -e "$group" ] || break; sleep 0.05
    done' EXIT
# Copies, because the namespaces hide some folders, and another user has to reach them.
cp "$(realpath "$1")" "$folder/herald"
cp "$page" "$steps" "$folder"
page=$folder/$(basename "$page") steps=$folder/$(basename "$steps")
setpriv --reuid 29999 --regid 29999 --clear-groups "$folder/herald" --version > /dev/null 2>&1 ||
    skip "another user cannot run the command: it needs libraries of a toolchain that this user cannot read"
export HERALD=$folder/herald FOLDER=$folder page steps
separate() { # COMMAND...: in namespaces, below the group
    timeout -s KILL 240 sh -c 'echo $$ > "$0/cgroup.procs" && exec unshare --mount --pid --ipc --uts --cgroup --fork --kill-child=KILL \
        --mount-proc "$@"' "$group" "$@"
}
separate mount -t cgroup2 none /sys/fs/cgroup 2> /dev/null || skip "no namespaces can be made here"

cat > "$FOLDER/first" <<'FIRST'
set -eu
export PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
unset HERALD_HOST_DIRECTORY XDG_RUNTIME_DIR
for folder in /dev/shm /run /home; do mount -t tmpfs -o mode=0755 none $folder; done
chmod 1777 /dev/shm
mount -t tmpfs -o mode=0755 none /usr/local/bin
mount -t cgroup2 none /sys/fs/cgroup
cp "$HERALD" /usr/local/bin/herald
# The units of the page, and targets that every unit waits for.
mkdir -p /run/units/system /run/units/user
for target in sysinit basic shutdown first; do
    printf '[Unit]\nDescription=%s\nDefaultDependencies=no\n' $target | tee /run/units/{system,user}/$target.target > /dev/null
done
awk '/^```ini$/ {on = 1; next} /^```/ {on = 0} on && /^# .*\.service$/ {
    file = $2; sub("^.*/systemd/", "/run/units/", file); next} on {print > file}' "$page"
# A user of the system.
for of in passwd group; do cp /etc/$of "$FOLDER/$of"; done
echo 'acme:x:29999:29999::/nonexistent:/bin/sh' >> "$FOLDER/passwd"
echo 'acme:x:29999:' >> "$FOLDER/group"
for of in passwd group; do mount --bind "$FOLDER/$of" /etc/$of; done
(until [ -S /run/systemd/private ]; do sleep 0.01; done
    bash "$steps" > "$FOLDER/seen" 2>&1 && touch "$FOLDER/ended"; systemctl --force exit 0) < /dev/null &
exec env -i PATH=$PATH container=herald SYSTEMD_UNIT_PATH=/run/units/system \
    SYSTEMD_GENERATOR_PATH= SYSTEMD_LOG_TARGET=console /lib/systemd/systemd --system --unit=first.target
FIRST
separate bash "$FOLDER/first" > "$FOLDER/manager" 2>&1 < /dev/null || echo "systemd ended with status $?" >> "$FOLDER/manager"
if ! [ -e "$FOLDER/seen" ]; then
    cat "$FOLDER/manager"
    skip "systemd does not run here"
fi
cat "$FOLDER/seen"
[ -e "$FOLDER/ended" ] || cat "$FOLDER/manager"
