// The kit's scripts for OpenSSH's sftp.
import { foldersAmongFiles, type KitFacts, type KitFile, program, takenWords } from './facts.ts';
import { NAMES, quoted, shellHead, sshOptions } from './shell.ts';

export function openSshFiles(facts: KitFacts): KitFile[] {
  const files = [
    program(
      'openssh/send.sh',
      `${shellHead(facts, 'Sends documents with OpenSSH.', 'send.sh FILE...')}\n${SCRATCH}\n${session(facts)}\n${sending(facts)}`,
    ),
    program(
      'openssh/receive.sh',
      `${shellHead(facts, 'Takes documents and receipts with OpenSSH.', 'receive.sh FOLDER')}\n${SCRATCH}\n${session(facts)}\n${receiving(facts)}`,
    ),
  ];
  return facts.byPassword ? [...files, program('openssh/askpass.sh', ASKPASS)] : files;
}

const SCRATCH = `scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
${NAMES}`;

/** `session BATCH` runs a batch, and stops at the first command that fails. */
function session(facts: KitFacts): string {
  const askPass = facts.byPassword ? 'SSH_ASKPASS="$here/openssh/askpass.sh" SSH_ASKPASS_REQUIRE=force DISPLAY=none ' : '';
  const batch = facts.byPassword ? '-o BatchMode=no ' : '';
  return `session() {
  ${askPass}sftp ${batch}-q ${sshOptions(facts)} \\
    -P ${facts.port} -b "$1" ${quoted(`${facts.login}@${bracketed(facts.host)}`)}
}`;
}

/** sftp takes what follows a colon for a path. */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function sending({ names }: KitFacts): string {
  return `check "$@"
for file; do
  case $file in /*) path=$file ;; *) path=$PWD/$file ;; esac
  printf 'put %s %s\\n' "$(name "$path")" "$(name "\${home}${names.inbox}/\${file##*/}")"
done > "$scratch/batch"
session "$scratch/batch"
`;
}

function receiving(facts: KitFacts): string {
  const others = foldersAmongFiles(facts).map((name) => `-e '/^${name.replaceAll('.', '\\.')}$/d' `);
  return `for taken in ${takenWords(facts)}; do
  folder=\${taken%%:*}
  there=$home\${taken#*:}
  mkdir -p "$1/$folder" "$1/.arriving"
  target=$(cd "$1/$folder" && pwd)
  arriving=$(cd "$1/.arriving" && pwd)
  printf 'ls -1 %s\\n' "$(name "$there")" > "$scratch/list"
  session "$scratch/list" > "$scratch/listed"
  sed -e '/^sftp> /d' -e 's|.*/||' -e '/\\.downloading$/d' ${others.join('')}"$scratch/listed" > "$scratch/names"
  while IFS= read -r file; do
    printf 'get %s %s\\n' "$(name "$there/$file")" "$(name "$arriving/$file")"
  done < "$scratch/names" > "$scratch/batch"
  if [ ! -s "$scratch/batch" ]; then continue; fi
  session "$scratch/batch"
  # Only what is safely here is deleted there; -rm goes on where the server has deleted it already.
  : > "$scratch/batch"
  while IFS= read -r file; do
    sync "$arriving/$file" 2>/dev/null || sync
    mv -f "$arriving/$file" "$target/$file"
    printf '%s %s\\n' -rm "$(name "$there/$file")" >> "$scratch/batch"
  done < "$scratch/names"
  sync "$target" 2>/dev/null || sync
  session "$scratch/batch"
done
rmdir "$1/.arriving"
`;
}

const ASKPASS = `#!/bin/sh
# OpenSSH (8.4 or later) asks this program for the password.
printf '%s\\n' "$DROPGATE_PASSWORD"
`;
