// The kit's scripts for lftp.
import { type KitFacts, type KitFile, program, takenWords } from './facts.ts';
import { NAMES, quoted, shellHead, sshOptions } from './shell.ts';

export function lftpFiles(facts: KitFacts): KitFile[] {
  return [
    program('lftp/ssh.sh', connect(facts)),
    program('lftp/send.sh', `${shellHead(facts, 'Sends documents with lftp.', 'send.sh FILE...')}\n${session(facts)}\n${sending(facts)}`),
    program(
      'lftp/receive.sh',
      `${shellHead(facts, 'Takes documents and receipts with lftp.', 'receive.sh FOLDER')}\n${session(facts)}\n${receiving(facts)}`,
    ),
  ];
}

function connect(facts: KitFacts): string {
  const key = facts.byKey ? `key=\${DROPGATE_KEY:-$here/id}\n` : '';
  return `#!/bin/sh
# lftp connects by this program.
here=$(cd "$(dirname "$0")/.." && pwd)
${key}exec ssh -a -x ${sshOptions(facts)} \\
    "$@"
`;
}

/** \`session\` runs the commands on its standard input, and stops at the first that fails. */
function session({ login, host, port, byPassword }: KitFacts): string {
  const where = `sftp://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const user = byPassword ? `open --user ${quoted(login)} --env-password ${where}` : `open -u ${quoted(`${login},`)} ${where}`;
  const password = byPassword ? 'export LFTP_PASSWORD="$DROPGATE_PASSWORD"\n' : '';
  return `${NAMES}
from=$PWD
${password}session() {
  # Its connect-program is split at spaces: it is named from its own folder.
  { cat <<'END'
set cmd:fail-exit yes
set net:max-retries 2
set net:timeout 60
set sftp:charset UTF-8
set sftp:connect-program ./ssh.sh
${user}
END
    cat
  } | (cd "$here/lftp" && lftp -f /dev/stdin)
}`;
}

function sending({ names }: KitFacts): string {
  return `check "$@"
for file; do
  case $file in /*) path=$file ;; *) path=$from/$file ;; esac
  printf 'put %s -o %s\\n' "$(name "$path")" "$(name "\${home}${names.inbox}/\${file##*/}")"
done | session
`;
}

function receiving(facts: KitFacts): string {
  return `mkdir -p "$1/outbox" "$1/receipts"
target=$(cd "$1" && pwd)
for taken in ${takenWords(facts)}; do
  folder=\${taken%%:*}
  there=$home\${taken#*:}
  echo "set xfer:use-temp-file yes"
  # Deletes there what it has here.
  printf 'mirror --no-recursion --no-perms --Remove-source-files %s %s\\n' "$(name "$there")" "$(name "$target/$folder")"
done | session
`;
}
