#!/bin/bash
# Makes a Debian root of this machine's release, boots its systemd in a container with processes, mounts and a network of its own, and runs
# under-systemd.sh in it: boot-root.sh FOLDER DROPGATE.deb. Ends with 69 where no systemd boots here.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
root=$1
debootstrap --variant=minbase --include=systemd-sysv,dbus,openssh-client "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$root" >"$root.log" || {
  tail "$root.log"
  exit 1
}
cp "$2" "$root/root/dropgate.deb"
install "$here/under-systemd.sh" "$root/root/under-systemd.sh"

systemd-nspawn --quiet --register=no --keep-unit --machine="dropgate-$$" --directory="$root" --private-network --console=pipe --boot >"$root.boot" 2>&1 </dev/null &
container=$!
trap 'kill -TERM $container 2>/dev/null || true; wait $container || true' EXIT
# Its systemd is the only child of systemd-nspawn.
inside() { nsenter --target "$(pgrep --parent $container)" --all env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
for _ in $(seq 600); do
  case $(inside systemctl is-system-running 2>/dev/null) in running | degraded) break ;; esac
  kill -0 $container 2>/dev/null || break
  sleep 0.1
done
inside systemctl is-system-running >/dev/null 2>&1 || {
  cat "$root.boot"
  exit 69
}
inside bash /root/under-systemd.sh /root/dropgate.deb
