// What the shell scripts of a kit begin with: where they lie, what they prove themselves with, and in which folder they work.
import type { KitFacts } from './facts.ts';

/** A word of the shell that means exactly the text. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Runs under any POSIX shell, from any folder. `usage` is what follows the script's name. */
export function shellHead(facts: KitFacts, does: string, usage: string): string {
  return `#!/bin/sh
# ${does}
# Usage: ${usage}. Ends with 0 when all is done; whatever it says otherwise, it can be run again.
set -eu
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -eq 0 ]; then echo "usage: ${usage}" >&2; exit 64; fi
${proof(facts)}${folder(facts)}`;
}

function proof({ byKey, byPassword }: KitFacts): string {
  return `${byKey ? KEY : ''}${byPassword ? PASSWORD : ''}`;
}

const KEY = `key=\${DROPGATE_KEY:-$here/id}
if [ ! -r "$key" ]; then echo "put the private key into $key, or its path into DROPGATE_KEY" >&2; exit 66; fi
`;
const PASSWORD = `: "\${DROPGATE_PASSWORD:?put the password into the environment variable DROPGATE_PASSWORD}"
export DROPGATE_PASSWORD
`;

function folder({ folders }: KitFacts): string {
  if (folders.length === 0) return 'home=\n';
  return `home=\${DROPGATE_FOLDER:?"put the account's folder into the environment variable DROPGATE_FOLDER: ${folders.join(' or ')}"}/\n`;
}

/**
 * Shell functions. `check FILE...` ends the script for what cannot be sent: a line break in a name would begin another command.
 * `name TEXT` prints a name as sftp and lftp read it: in quotes, where nothing is a pattern.
 */
export const NAMES = `check() {
  for file; do
    if [ ! -f "$file" ]; then printf '%s is no file\\n' "$file" >&2; exit 66; fi
    case $PWD/$file in *[[:cntrl:]]*) echo 'a file has a line break or the like in its name: rename it' >&2; exit 65 ;; esac
  done
}
name() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\\\"]/\\\\&/g')"; }`;

/** Options of ssh that hold for all scripts; \`$here\` and \`$key\` are the shell's. */
export function sshOptions({ byKey, byPassword }: KitFacts): string {
  const methods = [byKey ? ['publickey'] : [], byPassword ? ['password'] : []].flat().join(',');
  const options = [
    `-o "UserKnownHostsFile=\\"$here/known_hosts\\""`,
    '-o GlobalKnownHostsFile=/dev/null',
    '-o StrictHostKeyChecking=yes',
    '-o IdentitiesOnly=yes',
    `-o PreferredAuthentications=${methods}`,
    '-o NumberOfPasswordPrompts=1',
    '-o ConnectTimeout=30',
    '-o ServerAliveInterval=30',
    ...(byKey ? ['-i "$key"'] : ['-o PubkeyAuthentication=no']),
  ];
  return options.join(' \\\n    ');
}
