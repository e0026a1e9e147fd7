#!/bin/bash
# In a fresh Debian root: from `apt install` to a delivered invoice, an upgrade while invoices come in, removal and purge. Each line tells when it began.
#   first-invoice.sh DROPGATE.deb NEWER.deb
set -euo pipefail
# As if systemd ran, whose part stand-in-systemd.sh takes.
mkdir -p /run/systemd/system
rm -f /usr/bin/systemctl
printf '#!/bin/sh\nexit 0\n' >/usr/bin/systemctl
chmod 755 /usr/bin/systemctl /usr/bin/deb-systemd-invoke
export DEBIAN_FRONTEND=noninteractive

began=$EPOCHREALTIME
says() {
  awk -v began="$began" -v now="$EPOCHREALTIME" -v what="$*" 'BEGIN { printf "%6.1f s  %s\n", now - began, what }'
}
step() {
  says "\$ $*"
  "$@"
}
put() { sftp -q -b - -P 2222 -i /root/key -o StrictHostKeyChecking=accept-new seller@127.0.0.1 >/dev/null 2>&1 <<<"put $1 inbox/"; }
count() { find "/var/lib/dropgate/homes/$1" -name "$2" | wc -l; }
# Waits until as many files are there, ten minutes at most.
until_there() {
  for _ in $(seq 6000); do
    [ "$(count "$1" "$2")" -lt "$3" ] || return 0
    sleep 0.1
  done
  tail -n 20 /var/log/dropgate.log
  says "NOT THERE: $3 of $2 in $1, but $(count "$1" "$2")"
  exit 1
}

# To the page at an address, as an operator whose password stands on standard input.
logs_in() {
  /usr/lib/dropgate/node --input-type=module -e '
    const [page, operator] = process.argv.slice(1);
    const password = (await process.stdin.toArray()).join("").trim();
    const form = { method: "POST", redirect: "manual", headers: { origin: page }, body: new URLSearchParams({ operator, password, next: "/" }) };
    const [cookie] = (await fetch(`${page}/login`, form)).headers.getSetCookie();
    const shown = await (await fetch(page, { redirect: "manual", headers: { cookie } })).text();
    if (!shown.includes("<h1>Overview</h1>")) throw new Error(`${page} shows: ${shown}`);
  ' "$@"
}

step apt-get install --quiet=2 -o Dpkg::Use-Pty=0 --yes "$1"
says "beside Node: $(du -sk --exclude=node /usr/lib/dropgate | cut -f1) KiB"
step dropgate --version
ssh-keygen -q -t ed25519 -N '' -f /root/key
step dropgate account add seller --participant 0088:7300010000001 --login seller --public-key /root/key.pub
step dropgate account add buyer --participant 0088:7350000000016 --login buyer --public-key /root/key.pub
says '$ sftp -P 2222 seller@127.0.0.1 <<< "put invoice.xml inbox/"'
cp /usr/lib/dropgate/program/invoice.xml /root/invoice.xml
put /root/invoice.xml
until_there seller '*.accepted.json' 1
says 'accepted: the receipt is there'
until_there buyer '*.xml' 1
says 'delivered: the invoice is in the outbox of the buyer'
cmp /root/invoice.xml /var/lib/dropgate/homes/buyer/outbox/*.xml
step dropgate operator add anna --role act >/root/operator
tail -n 1 /root/operator | sed 's/.*: //' | logs_in http://127.0.0.1:8082 anna
says 'http://127.0.0.1:8082: anna has logged in, and sees the page'
step dropgate status --json >/root/status
cp /etc/dropgate/dropgate.yaml /root/before.yaml
printf '\nlog: {level: info}\n' >>/etc/dropgate/dropgate.yaml

# Invoices come in, each put until the server says OK.
sends() {
  local n=1
  while [ ! -e /root/upgraded ]; do
    sed "s/2026-0042/LOAD-$n/" /root/invoice.xml >"/root/LOAD-$n.xml"
    until put "/root/LOAD-$n.xml"; do sleep 0.2; done
    echo "$EPOCHREALTIME" >>/root/oks
    echo $n >/root/sent
    n=$((n + 1))
  done
}
sends &
until [ -e /root/sent ]; do sleep 0.1; done
says "$(cat /root/sent) invoices have come in"
# dpkg asks nobody here whose configuration is to stay, where the newer version has another one, too.
step apt-get install --quiet=2 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold --yes "$2"
says "$(cat /root/sent) invoices have come in"
sleep 3
touch /root/upgraded
wait %sends 2>/dev/null || wait
sent=$(cat /root/sent)
says "$(awk 'NR > 1 && $1 - last > longest { longest = $1 - last } { last = $1 } END { printf "the longest time between two OKs: %.1f s", longest }' /root/oks)"
until_there buyer '*LOAD-*.xml' "$sent"
numbers=$(find /var/lib/dropgate/homes/buyer -name '*LOAD-*.xml' | grep -o 'LOAD-[0-9]*' | sort -u | wc -l)
says "upgrade: $sent sent, $numbers delivered, $((sent - numbers)) lost, $(($(count buyer '*LOAD-*.xml') - numbers)) twice"
grep -q 'log: {level: info}' /etc/dropgate/dropgate.yaml
says 'the configuration is as it was changed'

step apt-get remove --quiet=2 -o Dpkg::Use-Pty=0 --yes dropgate
[ -e /var/lib/dropgate/homes/buyer ] && [ -e /etc/dropgate/dropgate.yaml ] && [ ! -e /usr/lib/dropgate ]
says 'removed: data and configuration are there'
step apt-get purge --quiet=2 -o Dpkg::Use-Pty=0 --yes dropgate
[ ! -e /var/lib/dropgate ] && [ ! -e /etc/dropgate ] && [ ! -e /var/cache/dropgate ]
says 'purged: nothing is left'
