#!/usr/bin/env bash
# Installs the clients and the browser that the interop suite runs, where Debian's packages are and some are missing. Without them, or without the
# rights to install, the suite says which clients it leaves out.
set -uo pipefail

packages=(
  openssh-client putty-tools lftp curl rclone python3-paramiko python3-asyncssh libjsch-java php-cli php-ssh2 php-phpseclib3 libnet-ssh2-perl
  libnet-sftp-foreign-perl libio-pty-perl ruby-net-sftp erlang-ssh golang-go golang-github-pkg-sftp-dev sshfs
  gvfs-backends libglib2.0-bin dbus chromium
)
command -v javac >/dev/null || packages+=(default-jdk-headless)

command -v dpkg-query >/dev/null || exit 0
missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

root=()
[ "$(id -u)" = 0 ] || root=(sudo -n)
echo "Installing ${missing[*]}"
"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update --quiet --quiet &&
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes --no-install-recommends "${missing[@]}"
exit 0
