# What units.sh does in the namespaces of its systemd. Everything is awaited, for a minute; then the steps end.
await() { # COMMAND...: until it succeeds
    for i in $(seq 1200); do "$@" > /dev/null 2>&1 && return; sleep 0.05; done
    echo "this never was: $*"
    exit 1
}
value() { systemctl show --value -p "$1" "$2"; }
is() { [ "$(value "$2" "$1")" = "$3" ]; }
is_idle() { local jobs && jobs=$(systemctl list-jobs --no-legend) && [ -z "$jobs" ]; }
has_lines() { [ "$(wc -l < "$1")" -ge "$2" ]; }
as_acme() { runuser -u acme -- env HERALD_HOST_DIRECTORY=/run/acme "$@"; }

mkdir -m 0777 /run/heard
touch /run/heard/{index,watch,user,service} && chown acme /run/heard/*
cat > /usr/local/bin/acme-index <<'RUN'
#!/bin/sh
echo "$(whoami) $PWD $HERALD_NAME: $(cat) ${HERALD_KEPT:+kept }[$NOTIFY_SOCKET]" >> /run/heard/index
RUN
cat > /usr/local/bin/acme-import <<'RUN'
#!/bin/sh
! [ -e /run/heard/fail ]
RUN
cat > /usr/local/bin/acme-show <<'RUN'
#!/bin/sh
herald path > /run/heard/user 2>&1
RUN
chmod 755 /usr/local/bin/acme-*

echo "- A unit that comes after a watcher posts, and is heard"
systemctl start acme-import; echo "import: $?"
await has_lines /run/heard/index 1
await is_idle # what OnSuccess has started: the next watcher does not hear it
cat /run/heard/index; value ActiveState acme-index
ls /run/acme

echo "- Another that watches hears what OnSuccess and OnFailure post"
mkfifo -m 0666 /run/ready
as_acme herald watch com.acme.imported com.acme.import-failed --count 2 --ready-fd 3 3> /run/ready > /run/heard/watch &
read -r line < /run/ready
systemctl start acme-import; echo "import: $?"
await has_lines /run/heard/watch 1
await has_lines /run/heard/index 2
touch /run/heard/fail
systemctl start acme-import 2> /dev/null; echo "import: $?"
wait $!; cat /run/heard/watch

echo "- A watcher that is killed is restarted, and begins with what is kept"
has=$(wc -l < /run/heard/index)
kill -KILL "$(value MainPID acme-index)"
await is acme-index NRestarts 1
await has_lines /run/heard/index $((has + 1))
tail -n 1 /run/heard/index
await is acme-index ActiveState active

echo "- A watcher that is stopped ends well; what is kept in the meantime is heard by the next"
systemctl stop acme-index; value ActiveState acme-index; value Result acme-index
ls /run/acme
as_acme herald post com.acme.saved --message late --keep
has=$(wc -l < /run/heard/index)
systemctl start acme-index
await has_lines /run/heard/index $((has + 1))
tail -n 1 /run/heard/index

echo "- Another user is refused"
HERALD_HOST_DIRECTORY=/run/acme herald post com.acme.saved; echo $?

service() { # NAME LINE...: writes a service of the user, with these lines
    printf '%s\n' '[Service]' User=acme "${@:2}" > /run/units/system/$1.service
    systemctl daemon-reload
}
try() { # COMMAND LINE...: what the command prints as a service with these lines
    > /run/heard/service
    service try Type=oneshot "ExecStart=$1" StandardOutput=append:/run/heard/service StandardError=inherit "${@:2}"
    systemctl start try 2> /dev/null || echo "failed: $(value ExecMainStatus try)"
    sed 's/^/    /; s/passed over: .*/passed over/' /run/heard/service
}
echo "- Options, where the user has a login"
mkdir -p -m 0755 /run/user && mkdir -m 0700 /run/user/29999 && chown acme /run/user/29999
for option in '' PrivateTmp=yes PrivateIPC=yes PrivateDevices=yes ProtectSystem=strict ProtectHome=yes ProtectHome=tmpfs \
    ProtectHome=read-only DynamicUser=yes; do
    echo "${option:-none}"
    try 'herald path' $option
done
echo "ProtectHome=yes, with a runtime directory"
try 'herald path' ProtectHome=yes RuntimeDirectory=acme RuntimeDirectoryPreserve=yes 'Environment=HERALD_HOST_DIRECTORY=%t/acme'
echo "a file is there"
as_user() { runuser -u acme -- env XDG_RUNTIME_DIR=/run/user/29999 "$@"; }
as_user herald post a
try 'herald path' ProtectHome=read-only

echo "- A user's unit needs no folder"
cat > /run/units/system/user@.service <<'UNIT'
[Service]
User=%i
Type=notify
Delegate=yes
KillSignal=SIGKILL
Environment=XDG_RUNTIME_DIR=/run/user/29999 SYSTEMD_UNIT_PATH=/run/units/user SYSTEMD_GENERATOR_PATH= HOME=/
ExecStart=/lib/systemd/systemd --user --unit=first.target
UNIT
systemctl daemon-reload
systemctl start user@acme
as_user systemctl --user start acme-show; echo "start: $?"
as_user herald post com.acme.imported
await test -s /run/heard/user; cat /run/heard/user
systemctl stop user@acme

echo "- A pipe in the unit needs NotifyAccess=all"
service pipe Type=notify NotifyAccess=all "ExecStart=sh -c 'herald watch a | cat'"
systemctl start pipe; echo "start: $?"
systemctl stop pipe

echo "- RemoveIPC=yes removes the file from /dev/shm"
systemctl stop acme-index
service other Type=notify ProtectHome=yes RemoveIPC=yes 'ExecStart=herald watch a'
systemctl start other; ls /dev/shm
systemctl stop other; ls /dev/shm

echo "- A runtime directory that is not preserved goes with the first of its services"
for name in one two; do
    service $name Type=notify RuntimeDirectory=brief Environment=HERALD_HOST_DIRECTORY=/run/brief 'ExecStart=herald watch a'
done
systemctl start one two; ls /run/brief
systemctl stop one; ls -d /run/brief 2> /dev/null; value ActiveState two
