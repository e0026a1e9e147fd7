// The connection kit against a real daemon: its scripts, as they are written, send an invoice and take what came back.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { ed25519Pair } from '../support/keys.ts';
import { have, haveParamiko, PYTHON, type Ran, run } from '../support/sftp-clients.ts';
import { PASSWORD } from '../support/sftp-server.ts';
import { until } from '../support/until.ts';

let daemon: TestDaemon;
// Spaces and quotes are what scripts stumble over.
const local = mkdtempSync(join(tmpdir(), "dropgate kit's-"));
const key = ed25519Pair();

beforeAll(async () => {
  writeFileSync(join(local, 'id'), key.private, { mode: 0o600 });
  writeFileSync(join(local, 'id.pub'), `${key.public}\n`);
  daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  for (const [line, secret] of [
    [`login add by-key --account seller --public-key ${join(local, 'id.pub')}`],
    [`login add by-both --account seller --methods both --password-stdin --public-key ${join(local, 'id.pub')}`, PASSWORD],
    ['login add firm --account seller --account buyer --password-stdin', PASSWORD],
    ['login add named --account seller --layout inbox=UT,outbox=IN,receipts=Svar --password-stdin', PASSWORD],
    ['login add kinds --account seller --layout incoming-outgoing-kinds --password-stdin', PASSWORD],
    ['login add flat-firm --account seller --account buyer --layout flat --password-stdin', PASSWORD],
    ['account add deleting --name Deleting --participant 0088:7300010000025 --login deleting --password-stdin', PASSWORD],
    ['account receiving deleting --outbox downloaded'],
    ['account add pooled --name Pooled --participant 0088:7300010000018'],
    ['partner add pool --name Pool --login pool --consolidated --password-stdin', PASSWORD],
    ['partner link pool pooled'],
  ] as const) {
    expect(await daemon.cli(words(line), secret)).toMatchObject({ status: 0 });
  }
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(local, { recursive: true });
});

/** The folder of tests has a space in its name. */
function words(line: string): string[] {
  return line
    .replaceAll(local, '\0')
    .split(' ')
    .map((word) => word.replaceAll('\0', local));
}

async function kit(login: string, name = login): Promise<string> {
  const out = join(local, `kit of ${name}`);
  const made = await daemon.cli(['connection-kit', login, '--host', '127.0.0.1', '--port', String(daemon.port), '--out', out]);
  expect(made).toMatchObject({ status: 0, err: '' });
  return out;
}

interface Program {
  readonly name: string;
  readonly isHere: () => boolean | Promise<boolean>;
  readonly send: (folder: string) => readonly [string, ...string[]];
  readonly receive: (folder: string) => readonly [string, ...string[]];
}

const PROGRAMS: readonly Program[] = [
  {
    name: 'OpenSSH',
    isHere: () => have('sftp'),
    send: (folder) => [join(folder, 'openssh/send.sh')],
    receive: (folder) => [join(folder, 'openssh/receive.sh')],
  },
  {
    name: 'lftp',
    isHere: () => have('lftp'),
    send: (folder) => [join(folder, 'lftp/send.sh')],
    receive: (folder) => [join(folder, 'lftp/receive.sh')],
  },
  {
    name: 'paramiko',
    isHere: haveParamiko,
    send: (folder) => [PYTHON, join(folder, 'paramiko/dropgate.py'), 'send'],
    receive: (folder) => [PYTHON, join(folder, 'paramiko/dropgate.py'), 'receive'],
  },
];
interface KitLogin {
  readonly login: string;
  readonly env: Record<string, string>;
  /** Where not the seller's. */
  readonly home?: string;
  readonly sender?: string;
}
const LOGINS: readonly KitLogin[] = [
  { login: 'erp', env: { DROPGATE_PASSWORD: PASSWORD } },
  { login: 'by-key', env: { DROPGATE_KEY: join(local, 'id') } },
  { login: 'by-both', env: { DROPGATE_KEY: join(local, 'id'), DROPGATE_PASSWORD: PASSWORD } },
  { login: 'firm', env: { DROPGATE_PASSWORD: PASSWORD, DROPGATE_FOLDER: 'seller' } },
  { login: 'named', env: { DROPGATE_PASSWORD: PASSWORD } },
  { login: 'kinds', env: { DROPGATE_PASSWORD: PASSWORD } },
  { login: 'flat-firm', env: { DROPGATE_PASSWORD: PASSWORD, DROPGATE_FOLDER: 'seller' } },
  { login: 'pool', env: { DROPGATE_PASSWORD: PASSWORD }, home: 'pool', sender: '0088:7300010000018' },
  // The server deletes what it has downloaded, before the kit does.
  { login: 'deleting', env: { DROPGATE_PASSWORD: PASSWORD }, home: 'deleting', sender: '0088:7300010000025' },
];

describe.each(PROGRAMS)('$name', ({ name, isHere, send, receive }) => {
  it.for(LOGINS)('sends and receives as $login', async ({ login, env, home = 'seller', ...from }, { skip }) => {
    if (!(await isHere())) skip();
    const folder = await kit(login, `${login} ${name}`);
    const start = ([program, ...args]: readonly [string, ...string[]], more: readonly string[]): Promise<Ran> =>
      run(program, [...args, ...more], '', { ...env, SSH_AUTH_SOCK: '' });

    const id = `${name}-${login}`.replaceAll(/\W/g, '-');
    const [file, second] = [`${id} n° 1 "[a]*".xml`, `${id}-2.xml`];
    writeFileSync(join(local, file), invoice({ id: `${id}-1`, ...from }));
    writeFileSync(join(local, second), invoice({ id: `${id}-2`, ...from }));
    const sent = await start(send(folder), [join(local, file), join(local, second)]);
    expect({ file, ...sent }).toMatchObject({ file, status: 0 });
    for (const each of [file, second]) {
      for (const stage of ['accepted', 'delivered']) await daemon.receipt(home, each, stage, 60_000);
    }
    writeFileSync(daemon.home(home, `outbox/${id} é.xml`), '<Invoice/>');
    const order = `2026-03-02_Order_${id}_s_1.xml`;
    writeFileSync(daemon.home(home, `outbox/${order}`), '<Order/>');

    const target = join(local, `target of ${id}`);
    const got = await start(receive(folder), [target]);
    expect({ file, ...got }).toMatchObject({ file, status: 0 });
    expect(readdirSync(join(target, 'outbox')).sort()).toEqual([`${id} é.xml`, order].sort());
    expect(readFileSync(join(target, 'outbox', order), 'utf8')).toBe('<Order/>');
    expect(readdirSync(join(target, 'receipts'))).toHaveLength(4);
    await until('the server to be empty', () => daemon.files(home, 'outbox').length + daemon.files(home, 'receipts').length === 0);
    // Nothing is left: the next time there is nothing to do, and that is no failure.
    expect(await start(receive(folder), [target])).toMatchObject({ status: 0 });
  });

  it('fails with a sentence when the proof, or the host key, is wrong', async ({ skip }) => {
    if (!(await isHere())) skip();
    const folder = await kit('erp', `erp ${name} wrong`);
    const [program, ...args] = send(folder);
    const path = join(local, 'wrong.xml');
    writeFileSync(path, invoice({ id: 'WRONG' }));
    const wrong = await run(program, [...args, path], '', { DROPGATE_PASSWORD: 'wrong' });
    expect([wrong.status, wrong.status === 0]).toEqual([expect.any(Number), false]);
    const [receiver, ...folders] = receive(folder);
    const nothing = await run(receiver, [...folders, join(local, 'nothing')], '', { DROPGATE_PASSWORD: 'wrong' });
    expect([nothing.status, nothing.status === 0]).toEqual([expect.any(Number), false]);
    const other = ed25519Pair().public;
    writeFileSync(join(folder, 'known_hosts'), `[127.0.0.1]:${daemon.port} ${other}\n`);
    const stranger = await run(program, [...args, path], '', { DROPGATE_PASSWORD: PASSWORD });
    expect([stranger.status, stranger.status === 0]).toEqual([expect.any(Number), false]);
    expect(daemon.spooled()).toEqual([]);
  });
});

it('the kit holds no secret, its programs can be run, and its README is the contract', async () => {
  const folder = await kit('by-both', 'reading');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());
  expect(files.sort()).toEqual([
    'README.txt',
    'known_hosts',
    'lftp/receive.sh',
    'lftp/send.sh',
    'lftp/ssh.sh',
    'openssh/askpass.sh',
    'openssh/receive.sh',
    'openssh/send.sh',
    'paramiko/dropgate.py',
    'winscp/receive.cmd',
    'winscp/receive.txt',
    'winscp/send.cmd',
    'winscp/send.txt',
  ]);
  for (const name of files) {
    const text = readFileSync(join(folder, name), 'utf8');
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain('argon2');
    expect(text).not.toContain('PRIVATE KEY');
    expect([name, (statSync(join(folder, name)).mode & 0o111) !== 0]).toEqual([name, /\.(sh|py)$/.test(name)]);
  }
  const readme = readFileSync(join(folder, 'README.txt'), 'utf8');
  const fingerprints = (await daemon.cli(['host-key', 'list', '--json'])).out.trim().split('\n');
  for (const line of fingerprints) expect(readme).toContain(JSON.parse(line).fingerprint);
  for (const told of ['127.0.0.1', String(daemon.port), 'by-both', 'methods=both', '/inbox/overwrite', 'fix      Repair'])
    expect(readme).toContain(told);
  const winScp = readFileSync(join(folder, 'winscp/send.txt'), 'utf8');
  expect(winScp).toMatch(
    /^open sftp:\/\/by-both@127\.0\.0\.1:\d+\/ -hostkey="ssh-ed25519 255 [\w+/]{43};ecdsa-sha2-nistp256 256 [\w+/]{43}" -privatekey="%DROPGATE_KEY%" -password="%DROPGATE_PASSWORD%"\r$/m,
  );
});

it.each([
  [['connection-kit', 'nobody', '--out', join(local, 'x')], 66, 'There is no login nobody'],
  [['connection-kit', 'erp', '--port', '70000', '--out', join(local, 'x')], 64, '--port must be between 1 and 65535'],
  [['connection-kit', 'erp', '--out', local], 73, 'is there already'],
])('%o → %i', async (args, status, sentence) => {
  expect(await daemon.cli(args)).toMatchObject({ status, err: expect.stringContaining(sentence) });
});
