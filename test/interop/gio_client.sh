#!/bin/sh
# gio, GNOME's way to remote files: gio_client.sh PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT..., in a session of its own, in which remote
# paths are percent-encoded.
port=$1 login=$3 password=$4 verb=$5
shift 5
there="sftp://$login@127.0.0.1:$port"
# Its ssh does not look at the host keys of this machine's own address.
printf '%s\n' "$password" | gio mount "$there/" >&2 || exit 1
case $verb in
  put) gio copy "$1" "$there$2" ;;
  putBeside) gio copy "$1" "$there$2" && gio move "$there$2" "$there$3" ;;
  putKeeping) gio copy --preserve "$1" "$there$2" ;;
  list) gio list "$there$1" ;;
  get) gio copy "$there$1" "$2" ;;
  remove) gio remove "$there$1" ;;
  rename) gio move "$there$1" "$there$2" ;;
  makeFolder) gio mkdir "$there$1" ;;
esac
