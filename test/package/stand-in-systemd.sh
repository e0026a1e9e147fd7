#!/bin/sh
# In a root without systemd as its first process: stands where maintainer scripts call deb-systemd-invoke, and starts and stops the daemon as
# the installed unit says: its user, environment, folder, umask and ExecStart. What the kernel keeps the daemon from (the sandbox of the unit) is not here.
set -eu
UNIT=/usr/lib/systemd/system/dropgate.service
PID=/run/dropgate.pid
LOG=/var/log/dropgate.log

of_unit() { sed -n "s/^$1=//p" "$UNIT"; }

start() {
  user=$(of_unit User)
  install -d -o "$user" -g "$user" "/var/cache/$(of_unit CacheDirectory)"
  cd "$(of_unit WorkingDirectory)"
  umask "$(of_unit UMask)"
  : >"$LOG"
  # shellcheck disable=SC2046
  env -i PATH=/usr/bin:/bin $(of_unit Environment) \
    setpriv --reuid "$user" --regid "$user" --init-groups --no-new-privs $(of_unit ExecStart) >>"$LOG" 2>&1 &
  echo $! >"$PID"
  tail -n +1 -f "$LOG" --pid $! | grep -q -m1 '"event":"daemon.ready"'
}

stop() {
  [ -e "$PID" ] || return 0
  kill -TERM "$(cat "$PID")" 2>/dev/null || true
  tail -f /dev/null --pid "$(cat "$PID")"
  rm -f "$PID"
}

action=$1
shift
for unit in "$@"; do
  [ "$unit" != dropgate.service ] || "$action"
done
