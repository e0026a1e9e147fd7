#!/bin/bash
# Makes a Debian root of this machine's release and runs first-invoice.sh in it, with processes, mounts and a network of its own: in-root.sh FOLDER DROPGATE.deb NEWER.deb
set -euo pipefail
here=$(dirname "$(realpath "$0")")
root=$1
[ -e "$root/etc/debian_version" ] ||
  debootstrap --variant=minbase --include=systemd,openssh-client "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$root" >"$root.log" || {
    tail "$root.log"
    exit 1
  }
cp "$2" "$root/root/dropgate.deb"
cp "$3" "$root/root/newer.deb"
install "$here/first-invoice.sh" "$root/root/first-invoice.sh"
install "$here/stand-in-systemd.sh" "$root/usr/bin/deb-systemd-invoke"
# shellcheck disable=SC2016 -- the inner shell expands it
exec unshare --mount --net --pid --fork bash -euc '
  ip link set lo up
  mount -t proc proc "$0/proc"
  mount --rbind /dev "$0/dev"
  exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$0" bash /root/first-invoice.sh /root/dropgate.deb /root/newer.deb
' "$root"
