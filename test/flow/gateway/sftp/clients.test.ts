// PuTTY's psftp, lftp, curl and paramiko, each with what makes it different (spec: 'What clients do').
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { curlHasSftp, have, haveParamiko, PYTHON, type Ran, run } from '../../../support/sftp-clients.ts';
import { PASSWORD, startTestServer, type TestServer } from '../../../support/sftp-server.ts';

let server: TestServer;
const local = mkdtempSync(join(tmpdir(), 'dropgate-local-'));
const invoice = join(local, 'invoice.xml');
const rsa = ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 });

beforeAll(async () => {
  writeFileSync(invoice, '<Invoice/>');
  writeFileSync(join(local, 'rsa'), rsa.private, { mode: 0o600 });
  server = await startTestServer({ settings: { fileMax: 2 ** 20 }, logins: [{ publicKeys: [rsa.public] }] });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(local, { recursive: true });
});

const committed = (name: string): string | undefined =>
  server
    .committed()
    .find((file) => file.name === name)
    ?.content.toString();

describe.skipIf(!have('psftp'))('psftp', () => {
  const psftp = async (commands: string[]) => {
    const { fingerprint } = await hostKey();
    const batch = join(local, 'batch');
    writeFileSync(batch, `${commands.join('\n')}\nquit\n`);
    return run('psftp', ['-batch', '-P', String(server.port), '-pw', PASSWORD, '-hostkey', fingerprint, '-b', batch, 'erp@127.0.0.1']);
  };

  it('puts, lists, gets and removes', async () => {
    server.place('outbox', 'a.xml', '<Order/>');
    const got = join(local, 'psftp.xml');
    const { status, out } = await psftp([
      `put ${invoice} /inbox/psftp.xml`,
      'ls /inbox',
      `get /outbox/a.xml ${got}`,
      'del /outbox/a.xml',
      'ls /outbox',
    ]);
    expect({ status, out }).toMatchObject({ status: 0, out: expect.stringMatching(/-rw-r-----.* psftp\.xml/) });
    expect([committed('psftp.xml'), readFileSync(got, 'utf8')]).toEqual(['<Invoice/>', '<Order/>']);
  });

  it('shows the sentence', async () => {
    const { out, err } = await psftp([`put ${invoice} /outbox/psftp.xml`]);
    expect(out + err).toContain('files can be put into inbox only');
  });
});

describe.skipIf(!have('lftp'))('lftp', () => {
  const lftp = (commands: string) => {
    const connect = `ssh -a -x -o UserKnownHostsFile=${server.knownHosts} -o StrictHostKeyChecking=yes -i ${join(local, 'rsa')}`;
    const settings = `set sftp:connect-program "${connect}"; set net:max-retries 1; set net:timeout 10;`;
    return run('lftp', ['-c', `${settings} open -u erp, sftp://127.0.0.1:${server.port}; ${commands}`]);
  };

  it('puts with a time set before CLOSE, through a temporary name too, and mirrors the outbox away', async () => {
    server.place('outbox', 'b.xml', '<Order/>');
    const target = join(local, 'mirror');
    expect(await lftp(`put ${invoice} -o inbox/lftp.xml`)).toMatchObject({ status: 0 });
    expect(await lftp(`set xfer:use-temp-file yes; put ${invoice} -o inbox/lftp-temp.xml`)).toMatchObject({ status: 0 });
    expect(await lftp(`mirror --Remove-source-files outbox ${target}`)).toMatchObject({ status: 0 });
    expect([committed('lftp.xml'), committed('lftp-temp.xml')]).toEqual(['<Invoice/>', '<Invoice/>']);
    expect(readFileSync(join(target, 'b.xml'), 'utf8')).toBe('<Order/>');
    expect((await lftp('cls -1 outbox')).out).not.toContain('b.xml');
  });
});

describe.skipIf(!(await curlHasSftp()))('curl', () => {
  it('uploads and downloads', async () => {
    const args = ['-sS', '--insecure', '-u', `erp:${PASSWORD}`];
    const url = `sftp://127.0.0.1:${server.port}`;
    expect(await run('curl', [...args, '-T', invoice, `${url}/inbox/curl.xml`])).toMatchObject({ status: 0 });
    expect(committed('curl.xml')).toBe('<Invoice/>');
    server.place('receipts', 'curl.json', '{}');
    expect((await run('curl', [...args, `${url}/receipts/curl.json`])).out).toBe('{}');
  });

  it('does not look at the answer to CLOSE, but to a rename behind it', async () => {
    await using refusing = await startTestServer({
      wrap: (intake) => ({
        async commit(upload) {
          await intake.cancel(upload);
          throw new AppError('storage', 'the disk refused');
        },
      }),
    });
    const put = (name: string, ...more: string[]): Promise<Ran> =>
      run('curl', ['-sS', '--insecure', '-u', `erp:${PASSWORD}`, ...more, '-T', invoice, `sftp://127.0.0.1:${refusing.port}${name}`]);
    expect((await put('/inbox/a.xml')).status).toBe(0);
    const renamed = await put('/inbox/a.xml.tmp', '-Q', '-rename "/inbox/a.xml.tmp" "/inbox/a.xml"');
    expect(renamed.status, renamed.err).toBe(21);
    expect(refusing.committed()).toEqual([]);
  });
});

describe.skipIf(!(await haveParamiko()))('paramiko', () => {
  const python = (script: string) =>
    run(
      PYTHON,
      ['-'],
      [
        'import paramiko, sys',
        `transport = paramiko.Transport(('127.0.0.1', ${server.port}))`,
        `transport.connect(username='erp', password='${PASSWORD}')`,
        'sftp = paramiko.SFTPClient.from_transport(transport)',
        script,
        'transport.close()',
      ].join('\n'),
    );

  it('puts, and finds the size that it expects afterwards', async () => {
    const { status, out, err } = await python(`print(sftp.put('${invoice}', '/inbox/paramiko.xml').st_size)`);
    expect({ status, out, err }).toEqual({ status: 0, out: '10\n', err: '' });
    expect(committed('paramiko.xml')).toBe('<Invoice/>');
  });

  it('renames with posix_rename over an old name, and sets times', async () => {
    const script = `sftp.put('${invoice}', '/inbox/p.part')\nsftp.posix_rename('/inbox/p.part', '/inbox/p.xml')\nsftp.utime('/inbox/p.xml', None)\nprint(sorted(sftp.listdir('/')))`;
    const { status, out } = await python(script);
    expect({ status, out }).toEqual({ status: 0, out: "['accepted', 'inbox', 'outbox', 'receipts', 'refused']\n" });
    expect(committed('p.xml')).toBe('<Invoice/>');
  });

  it('is told in a sentence that a file is too large', async () => {
    const { out } = await python(
      `try:\n  sftp.putfo(__import__('io').BytesIO(b'x' * 2000000), '/inbox/large.xml')\nexcept IOError as e:\n  print(e)`,
    );
    expect(out).toContain('file is larger than 1 MiB, the limit of this server');
  });

  it('logs in by an RSA key and gets what it prefetches', async () => {
    server.place('outbox', 'large.xml', Buffer.alloc(3_000_000, 'y'));
    const { out, err } = await run(
      PYTHON,
      ['-'],
      [
        'import paramiko',
        `transport = paramiko.Transport(('127.0.0.1', ${server.port}))`,
        `transport.connect(username='erp', pkey=paramiko.RSAKey.from_private_key_file('${join(local, 'rsa')}'))`,
        'sftp = paramiko.SFTPClient.from_transport(transport)',
        `sftp.get('/outbox/large.xml', '${join(local, 'large.xml')}')`,
        'print(sftp.stat("/outbox/large.xml").st_size)',
        'transport.close()',
      ].join('\n'),
    );
    expect({ out, err }).toEqual({ out: '3000000\n', err: '' });
    expect(readFileSync(join(local, 'large.xml')).equals(Buffer.alloc(3_000_000, 'y'))).toBe(true);
  });
});

async function hostKey(): Promise<{ fingerprint: string }> {
  const [first] = await loadHostKeys(join(server.data, 'keys'));
  if (!first) throw new Error('no host key');
  return first;
}
