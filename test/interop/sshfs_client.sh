#!/bin/sh
# sshfs, as a file system that programs write into: sshfs_client.sh PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT...
port=$1 known_hosts=$2 login=$3 password=$4 verb=$5
shift 5
there=$(mktemp -d)
trap 'fusermount3 -u -q "$there"; rmdir "$there"' EXIT
printf '%s\n' "$password" | sshfs -p "$port" -o password_stdin -o "UserKnownHostsFile=$known_hosts" -o StrictHostKeyChecking=yes \
  -o PubkeyAuthentication=no "$login@127.0.0.1:/" "$there" || exit 1
case $verb in
  put) cp "$1" "$there$2" ;;
  putBeside) cp "$1" "$there$2" && mv "$there$2" "$there$3" ;;
  putKeeping) cp --preserve=mode,timestamps "$1" "$there$2" ;;
  resume) tail --bytes="+$(($(stat --format=%s "$there$2") + 1))" "$1" >> "$there$2" ;;
  list) ls "$there$1" ;;
  get) cp "$there$1" "$2" ;;
  remove) rm "$there$1" ;;
  rename) mv "$there$1" "$there$2" ;;
  makeFolder) mkdir "$there$1" ;;
esac
status=$?
# FUSE closes a file after cp has ended; what is asked on the same connection is answered behind that.
ls "$there" > /dev/null && exit $status
