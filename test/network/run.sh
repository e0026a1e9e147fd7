#!/usr/bin/env bash
# Runs Dropgate between two real access points: installs what they need, as far as this machine can get it, and then the suite, in a short
# form; with --long, as much as docs/network.md records. Other words go to the test runner.
set -uo pipefail
cd "$(dirname "$0")/../.."

bash test/network/packages.sh

arguments=()
for word in "$@"; do
  if [ "$word" = --long ]; then export DROPGATE_AMOUNTS=whole; else arguments+=("$word"); fi
done
exec vitest run --project network "${arguments[@]}"
