// The kit's scripts for WinSCP (5.17 or later), started by a command file.
import { type KitFacts, type KitFile, windowsFile } from './facts.ts';

export function winScpFiles(facts: KitFacts): KitFile[] {
  const { names, kinds } = facts;
  const folder = facts.folders.length === 0 ? '' : '%DROPGATE_FOLDER%/';
  const outbox = `${folder}${names.outbox === '' ? '' : `${names.outbox}/`}`;
  const received = [outbox, ...kinds.map((kind) => `${outbox}${kind}/`)];
  return [
    windowsFile('winscp/send.cmd', starter(facts, 'send.cmd FILE', 'send.txt')),
    windowsFile('winscp/send.txt', `${HEAD}${open(facts)}put -nopermissions -nopreservetime -- "%1%" "${folder}${names.inbox}/"\nexit\n`),
    windowsFile('winscp/receive.cmd', starter(facts, 'receive.cmd FOLDER', 'receive.txt')),
    windowsFile(
      'winscp/receive.txt',
      `${HEAD}${open(facts)}lcd "%1%"
# Deletes there what it has here. That there is nothing is no failure.
option failonnomatch off
${received.map((path) => `get -delete -filemask=|*.downloading;*/ -- "${path}*" "outbox\\"\n`).join('')}get -delete -- "${folder}${names.receipts}/*" "receipts\\"
exit
`,
    ),
  ];
}

const HEAD = 'option batch abort\noption confirm off\n';

function open({ login, host, port, hostKeys, byKey, byPassword }: KitFacts): string {
  const known = hostKeys.map(({ type, fingerprint }) => `${type} ${BITS[type] ?? ''} ${fingerprint.replace('SHA256:', '')}`).join(';');
  const key = byKey ? ' -privatekey="%DROPGATE_KEY%"' : '';
  const password = byPassword ? ' -password="%DROPGATE_PASSWORD%"' : '';
  const address = `sftp://${encodeURIComponent(login)}@${host.includes(':') ? `[${host}]` : host}:${port}/`;
  return `open ${address} -hostkey="${known}"${key}${password}\n`;
}

/** As WinSCP counts them. */
const BITS: Readonly<Record<string, number>> = { 'ssh-ed25519': 255, 'ecdsa-sha2-nistp256': 256, 'ssh-rsa': 3072 };

function starter({ byKey, byPassword, folders }: KitFacts, usage: string, script: string): string {
  const needed = [
    ...(byKey ? [['DROPGATE_KEY', 'the path of the private key in the form of PuTTY (.ppk)']] : []),
    ...(byPassword ? [['DROPGATE_PASSWORD', 'the password']] : []),
    ...(folders.length > 0 ? [['DROPGATE_FOLDER', `the account's folder: ${folders.join(' or ')}`]] : []),
  ];
  const checks = needed.map(([name, what]) => `if not defined ${name} echo Put into the environment variable ${name} ${what}.& exit /b 64`);
  const folder = script === 'receive.txt' ? 'mkdir "%~1\\outbox" "%~1\\receipts" 2>nul\n' : '';
  return `@echo off
rem Usage: ${usage}. Ends with 0 when all is done.
if "%~1"=="" echo usage: ${usage}& exit /b 64
${checks.map((line) => `${line}\n`).join('')}${folder}winscp.com /ini=nul /loglevel=0 /log="%TEMP%\\dropgate-winscp.log" /script="%~dp0${script}" /parameter // "%~f1"
exit /b %ERRORLEVEL%
`;
}
