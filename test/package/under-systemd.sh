#!/bin/bash
# In a Debian root that its systemd has booted: the package is installed, its units start, work in their sandbox, are reloaded, watched over, stopped,
# started by a connection, and purged. Each line is a fact that under-systemd.long.test.ts holds against what the units say.
#   under-systemd.sh DROPGATE.deb
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
unit=dropgate.service

of_unit() { systemctl show --property="$1" --value "$unit"; }
# Waits until a command succeeds, a minute at most.
until_so() {
  for _ in $(seq 600); do
    ! "$@" 2>/dev/null || return 0
    sleep 0.1
  done
  journalctl --unit="$unit" --no-pager --lines=20
  echo "NOT SO: $*"
  exit 1
}
is_active() { [ "$(of_unit ActiveState)" = active ]; }
has() { find "/var/lib/dropgate/homes/$1" -name "$2" | grep -q .; }

apt-get install --quiet=2 -o Dpkg::Use-Pty=0 --yes "$1" >/dev/null
until_so is_active
echo "started: $(systemctl is-active dropgate.socket $unit | paste -sd ' '), enabled: $(systemctl is-enabled dropgate.socket $unit | paste -sd ' ')"
echo "socket: $(journalctl --unit=$unit --output=cat | grep -o '"socket":"[a-z]*"')"

pid=$(of_unit MainPID)
status() { sed -n "s/^$1:\t*\([^\t]*\).*/\1/p" "/proc/$pid/status"; }
echo "process: user $(stat -c %U "/proc/$pid"), capabilities $(status CapBnd), no new privileges $(status NoNewPrivs), seccomp $(status Seccomp)"
for path in /usr /etc /var/lib /var/lib/dropgate; do
  ! nsenter --target "$pid" --mount touch "$path/written" 2>/dev/null || echo "may write: $path"
done
nsenter --target "$pid" --mount rm /var/lib/dropgate/written
echo "exposure: $(systemd-analyze security --no-pager $unit | sed -n 's/.*exposure level for dropgate.service: \([0-9.]*\).*/\1/p')"

# An invoice, judged and delivered in the sandbox.
ssh-keygen -q -t ed25519 -N '' -f /root/key
dropgate account add seller --participant 0088:7300010000001 --login seller --public-key /root/key.pub >/dev/null
dropgate account add buyer --participant 0088:7350000000016 --login buyer --public-key /root/key.pub >/dev/null
sftp -q -b - -P 2222 -i /root/key -o StrictHostKeyChecking=accept-new seller@127.0.0.1 >/dev/null 2>&1 <<<'put /usr/lib/dropgate/program/invoice.xml inbox/'
until_so has seller '*.accepted.json'
until_so has buyer '*.xml'
echo 'delivered: the invoice is in the outbox of the buyer'

printf '\nlog: {level: debug}\n' >>/etc/dropgate/dropgate.yaml
systemctl reload $unit
until_so sh -c "systemctl show --property=StatusText $unit | grep -q 'In force now'"
echo "reloaded: $(of_unit StatusText) the same process: $([ "$(of_unit MainPID)" = "$pid" ] && echo yes)"

# Sooner than the unit has it, so that nobody waits two minutes.
mkdir -p /etc/systemd/system/$unit.d
printf '[Service]\nWatchdogSec=8s\nTimeoutAbortSec=2s\n' >/etc/systemd/system/$unit.d/sooner.conf
systemctl daemon-reload
systemctl restart $unit
echo "watchdog: $(of_unit WatchdogUSec)"
sleep 20
echo "works for longer than that: restarts $(of_unit NRestarts)"
kill -STOP "$(of_unit MainPID)"
until_so sh -c "[ \$(systemctl show --property=NRestarts --value $unit) -gt 0 ]"
until_so is_active
echo "stalled: $(journalctl --unit=$unit --output=cat | grep -o 'Watchdog timeout' | sort -u), restarts $(of_unit NRestarts)"

systemctl stop $unit
echo "stopped: $(of_unit ActiveState), result $(of_unit Result), status $(of_unit ExecMainStatus), socket $(systemctl is-active dropgate.socket)"
exec 3<>/dev/tcp/127.0.0.1/8080
printf 'GET /livez HTTP/1.0\r\n\r\n' >&3
until_so is_active
echo "started by a connection, which is answered: $(head -c 8 <&3)"

echo "held to limits: memory $(of_unit MemoryCurrent), tasks $(of_unit TasksCurrent), addresses $(of_unit IPIngressBytes)"
apt-get purge --quiet=2 -o Dpkg::Use-Pty=0 --yes dropgate >/dev/null
rm -r /etc/systemd/system/$unit.d
systemctl daemon-reload
echo "purged: $(systemctl list-units --all --no-legend 'dropgate*' | wc -l) units, $(ls -d /var/lib/dropgate /etc/dropgate /var/cache/dropgate 2>/dev/null | wc -l) folders"
