// Every client that is here brings one invoice through the real daemon: it is content with what it sees after the upload, and the
// document is accepted once. A client that is not installed is skipped loudly.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice, invoiceOfSize } from '../support/documents.ts';
import {
  called,
  connect,
  curlHasSftp,
  have,
  haveParamiko,
  openSftp,
  openSsh,
  PYTHON,
  type Ran,
  run,
  scp,
} from '../support/sftp-clients.ts';
import { PASSWORD } from '../support/sftp-server.ts';
import { until } from '../support/until.ts';

/** WinSCP takes the way over `.filepart` for files over 100 KB. */
const LARGE_BYTES = 300_000;

let daemon: TestDaemon;
const local = mkdtempSync(join(tmpdir(), 'dropgate-local-'));

beforeAll(async () => {
  daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(local, { recursive: true });
});

interface Client {
  readonly name: string;
  readonly isHere: () => boolean | Promise<boolean>;
  /** Uploads the file `path` to /inbox/NAME. */
  readonly upload: (path: string, name: string) => Promise<Ran>;
}

const CLIENTS: readonly Client[] = [
  { name: 'sftp', isHere: () => have('sftp'), upload: (path, name) => openSsh(daemon, [`put ${path} inbox/${name}`], ['-b', '-']) },
  { name: 'sftp -p', isHere: () => have('sftp'), upload: (path, name) => openSsh(daemon, [`put -p ${path} /inbox/${name}`], ['-b', '-']) },
  { name: 'scp', isHere: () => have('scp'), upload: (path, name) => scp(daemon, [path, `remote:/inbox/${name}`]) },
  { name: 'psftp', isHere: () => have('psftp'), upload: psftp },
  { name: 'lftp', isHere: () => have('lftp'), upload: (path, name) => lftp(`put ${path} -o inbox/${name}`) },
  {
    name: 'lftp through a temporary name',
    isHere: () => have('lftp'),
    upload: (path, name) => lftp(`set xfer:use-temp-file yes; put ${path} -o inbox/${name}`),
  },
  { name: 'curl', isHere: curlHasSftp, upload: curl },
  { name: 'paramiko', isHere: haveParamiko, upload: (path, name) => paramiko(`assert sftp.put('${path}', '/inbox/${name}').st_size > 0`) },
  {
    name: 'paramiko through a temporary name',
    isHere: haveParamiko,
    upload: (path, name) =>
      paramiko(
        `sftp.put('${path}', '/inbox/${name}.tmp')`,
        `sftp.posix_rename('/inbox/${name}.tmp', '/inbox/${name}')`,
        `assert sftp.stat('/inbox/${name}').st_size > 0`,
      ),
  },
  { name: 'rclone', isHere: () => have('rclone'), upload: rclone },
  { name: "WinSCP's pattern", isHere: () => true, upload: winScp },
];

describe.each(CLIENTS)('$name', ({ name, isHere, upload }) => {
  const plain = name.replaceAll(/\W+/g, '-');

  it('uploads, is content, and the invoice is accepted once and arrives', async ({ skip }) => {
    if (!(await isHere())) skip();
    const bytes = invoice({ id: `BY-${plain}` });
    await bring(`${plain}.xml`, bytes);
  });

  it('does the same with a large one', async ({ skip }) => {
    if (!(await isHere())) skip();
    await bring(`${plain}-large.xml`, invoiceOfSize(LARGE_BYTES, { id: `LARGE-BY-${plain}` }));
  });

  async function bring(file: string, bytes: Uint8Array): Promise<void> {
    const path = join(local, file);
    writeFileSync(path, bytes);
    const ran = await upload(path, file);
    expect({ file, ...ran }).toMatchObject({ file, status: 0 });
    const { documentId } = await daemon.receipt('seller', file, 'accepted');
    const outbox = (): string[] => daemon.files('buyer', 'outbox').filter((each) => each.includes(`_Invoice_${documentId}_`));
    await until('the document in the outbox', () => outbox().length > 0);
    expect(outbox().map((each) => daemon.read('buyer', 'outbox', each))).toEqual([Buffer.from(bytes)]);
    expect(daemon.files('seller', 'receipts').filter((each) => each.startsWith(`${file}.`) && each.includes('.accepted.'))).toHaveLength(1);
  }
});

async function psftp(path: string, name: string): Promise<Ran> {
  const [hostKey] = await loadHostKeys(join(daemon.data, 'keys'));
  const batch = join(local, 'psftp-batch');
  writeFileSync(batch, `put ${path} /inbox/${name}\nls /inbox\nquit\n`);
  const options = ['-batch', '-P', String(daemon.port), '-pw', PASSWORD, '-hostkey', hostKey?.fingerprint ?? '', '-b', batch];
  return run('psftp', [...options, 'erp@127.0.0.1']);
}

function lftp(commands: string): Promise<Ran> {
  const ssh = `ssh -a -x -o UserKnownHostsFile=${daemon.knownHosts} -o StrictHostKeyChecking=yes -o PubkeyAuthentication=no`;
  const settings = `set sftp:connect-program "${ssh}"; set net:max-retries 1; set net:timeout 10;`;
  return run('lftp', ['-c', `${settings} open -u "erp,${PASSWORD}" sftp://127.0.0.1:${daemon.port}; ${commands}`]);
}

function curl(path: string, name: string): Promise<Ran> {
  const url = `sftp://127.0.0.1:${daemon.port}/inbox/${name}`;
  return run('curl', ['-sS', '--insecure', '-u', `erp:${PASSWORD}`, '-T', path, url]);
}

function paramiko(...script: string[]): Promise<Ran> {
  const lines = [
    'import paramiko',
    `transport = paramiko.Transport(('127.0.0.1', ${daemon.port}))`,
    `transport.connect(username='erp', password='${PASSWORD}')`,
    'sftp = paramiko.SFTPClient.from_transport(transport)',
    ...script,
    'transport.close()',
  ];
  return run(PYTHON, ['-'], lines.join('\n'));
}

async function rclone(path: string, name: string): Promise<Ran> {
  const obscured = (await run('rclone', ['obscure', PASSWORD])).out.trim();
  const remote = `:sftp,host=127.0.0.1,port=${daemon.port},user=erp,pass=${obscured},known_hosts_file='${daemon.knownHosts}':/inbox/${name}`;
  return run('rclone', ['copyto', '--config', '/dev/null', '--retries', '1', path, remote]);
}

/** What WinSCP 6 does: STAT of the target, `.filepart`, CLOSE, REMOVE of the old target, RENAME, SETSTAT of the time, STAT again. */
async function winScp(path: string, name: string): Promise<Ran> {
  const client = await connect(daemon);
  const sftp = await openSftp(client);
  const target = `/inbox/${name}`;
  const isThere = (): Promise<boolean> =>
    called<unknown>((done) => sftp.stat(target, done)).then(
      () => true,
      () => false,
    );
  try {
    if (await isThere()) return { status: 1, out: '', err: 'the target is there before the upload' };
    await called((done) => sftp.fastPut(path, `${target}.filepart`, { concurrency: 64, chunkSize: 32_768 }, done));
    await called((done) => sftp.unlink(target, done)).catch(() => undefined);
    await called((done) => sftp.rename(`${target}.filepart`, target, done));
    await called((done) => sftp.utimes(target, new Date(), new Date(), done));
    return { status: (await isThere()) ? 0 : 1, out: '', err: '' };
  } finally {
    client.end();
  }
}
