#!/bin/bash
# What compose would run, without an engine: in a layer over this machine's root, with processes, mounts and a network of its own, the image's files and
# user, the database made by its variables, and the daemon beside it, to a delivered invoice. composed.sh FOLDER, in which composed.long.test.ts has put
#   image/       the files that the image has from the package
#   user         the step of the Dockerfile that makes its user and /data
#   secret       what compose mounts as /run/secrets/database-password
#   config       what it mounts as /etc/dropgate/dropgate.yaml
#   database     the variables of the database, a line each, and healthy, the command that says when it is
set -euo pipefail
here=$1
root=$here/layers/root
[ "${2:-}" = inside ] || exec unshare --mount --net --pid --fork --mount-proc bash "$0" "$here" inside

ip link set lo up
mount -t tmpfs layers "$here/layers"
mkdir "$here/layers/"{upper,work,root,data,base}
mount -t overlay image -o "lowerdir=/,upperdir=$here/layers/upper,workdir=$here/layers/work" "$root"
cp -a "$here/image/." "$root/"
chroot "$root" sh -euc "$(cat "$here/user")" >"$here/user.log" 2>&1
mkdir -p "$root/run/secrets" "$root/base" "$root/etc/dropgate"
printf '127.0.0.1 localhost database\n' >"$root/etc/hosts"
touch "$root/run/secrets/database-password" "$root/etc/dropgate/dropgate.yaml"
mount --bind -o ro "$here/secret" "$root/run/secrets/database-password"
mount --bind -o ro "$here/config" "$root/etc/dropgate/dropgate.yaml"
# A volume that is new gets what the image has there.
cp -a "$root/data/." "$here/layers/data/"
chown --reference="$root/data" "$here/layers/data"
chmod --reference="$root/data" "$here/layers/data"
mount --bind "$here/layers/data" "$root/data"
chown nobody "$here/layers/base"
mount --bind "$here/layers/base" "$root/base"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -o remount,ro "$root"

# As the image of PostgreSQL: root reads the file with the password, and all else is nobody's.
as() { chroot --userspec="$1" "$root" env -i PATH="$programs:/usr/bin:/bin" LANG=C.UTF-8 "${@:2}"; }
programs=$POSTGRES_PROGRAMS
of() { sed -n "s/^$1=//p" "$here/database"; }
user=$(of POSTGRES_USER)
# shellcheck disable=SC2016 -- the inner shell expands it
as nobody bash -euc 'initdb --pgdata=/base/data --username="$0" --pwfile=<(echo "$1") --auth-host=scram-sha-256 --auth-local=trust --no-sync' \
  "$user" "$(cat "$root/$(of POSTGRES_PASSWORD_FILE)")" >"$here/initdb.log" 2>&1
as nobody postgres -D /base/data -c listen_addresses='*' -c unix_socket_directories=/tmp >"$here/postgres.log" 2>&1 &
# Waits until a command succeeds, two minutes at most.
until_so() {
  for _ in $(seq 1200); do
    ! "$@" >/dev/null 2>&1 || return 0
    sleep 0.1
  done
  tail -n 20 "$here/"*.log
  echo "NOT SO: $*"
  exit 1
}
# shellcheck disable=SC2046 -- words of a command
until_so as nobody env PGHOST=/tmp $(of healthy)
as nobody createdb --host=/tmp --username="$user" "$(of POSTGRES_DB)"
echo 'database: healthy'

dropgate() { as dropgate dropgate "$@"; }
as dropgate sh -c 'cd /data; exec dropgate serve --config /etc/dropgate/dropgate.yaml' >"$here/dropgate.log" 2>&1 &
until_so dropgate health --config /etc/dropgate/dropgate.yaml
echo "daemon: healthy, as user $(stat -c %u "/proc/$(pgrep -f 'main.mjs serve')")"
ssh-keygen -q -t ed25519 -N '' -f "$here/key"
cp "$here/key.pub" "$root/tmp/key.pub"
dropgate account add seller --participant 0088:7300010000001 --login seller --public-key /tmp/key.pub >/dev/null
dropgate account add buyer --participant 0088:7350000000016 --login buyer --public-key /tmp/key.pub >/dev/null
sftp -q -b - -P 2222 -i "$here/key" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null seller@127.0.0.1 >/dev/null 2>&1 <<<"put $root/usr/lib/dropgate/program/invoice.xml inbox/invoice.xml"
has() { find "$root/data/homes/$1" -name "$2" | grep -q .; }
until_so has seller '*.accepted.json'
until_so has buyer '*.xml'
cmp "$root/usr/lib/dropgate/program/invoice.xml" "$root/data/homes/buyer/outbox/"*.xml
echo 'delivered: the invoice is in the outbox of the buyer'
tables=$(as nobody psql --host=/tmp --username="$user" --tuples-only --no-align --command "select count(*) from pg_tables where schemaname like 'dropgate%'" "$(of POSTGRES_DB)")
echo "ledgers: $tables tables in the database, $(find "$root/data" -name '*.db' | wc -l) files beside it"
