// OpenSSH's sftp and scp, as ERPs run them, against the server with the real intake.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { have, openSsh, scp, ssh } from '../../../support/sftp-clients.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';

describe.skipIf(!have('sftp'))('OpenSSH', () => {
  let server: TestServer;
  const local = mkdtempSync(join(tmpdir(), 'dropgate-local-'));
  const invoice = join(local, 'invoice.xml');
  const large = join(local, 'large.xml');

  beforeAll(async () => {
    writeFileSync(invoice, '<Invoice/>');
    writeFileSync(large, randomBytes(19 * 2 ** 20));
    server = await startTestServer();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(local, { recursive: true });
  });

  it('S040 puts a file, which is then ours with the same bytes', async () => {
    const { status, err } = await openSsh(server, [`put ${invoice} /inbox/first.xml`]);
    expect({ status, err: err.replace(/^Connected.*\n/m, '') }).toEqual({ status: 0, err: expect.anything() });
    expect(
      server
        .committed()
        .find(({ name }) => name === 'first.xml')
        ?.content.toString(),
    ).toBe('<Invoice/>');
  });

  it('puts 19 MiB, keeping times and mode (-p), and lists it', async () => {
    const { status, out } = await openSsh(server, [`put -p ${large} inbox/large.xml`, 'ls -l inbox']);
    expect(status).toBe(0);
    expect(out).toMatch(/-rw-r-----.* 19922944 .*large\.xml/);
    expect(
      server
        .committed()
        .find(({ name }) => name === 'large.xml')
        ?.content.equals(readFileSync(large)),
    ).toBe(true);
  });

  it('shows the home, and nothing else', async () => {
    const { out } = await openSsh(server, ['ls -1 /', 'ls -1 /inbox/../..', 'ls -la /home']);
    expect(out.match(/^\/?(inbox|outbox|receipts|accepted|refused)\b/gm)).toHaveLength(10);
  });

  it('gets a document, renames it while it does, and removes it', async () => {
    server.place('outbox', 'incoming.xml', '<CreditNote/>');
    const got = join(local, 'got.xml');
    const commands = ['rename outbox/incoming.xml outbox/incoming.xml.downloading', `get outbox/incoming.xml.downloading ${got}`];
    const { status } = await openSsh(server, [...commands, 'rm outbox/incoming.xml.downloading', 'ls outbox'], ['-b', '-']);
    expect(status).toBe(0);
    expect(readFileSync(got, 'utf8')).toBe('<CreditNote/>');
  });

  it('is told in a sentence why a file is too large', async () => {
    const tooLarge = join(local, 'too-large.xml');
    writeFileSync(tooLarge, '');
    truncateSync(tooLarge, 25 * 2 ** 20);
    const { status, err } = await openSsh(server, [`put ${tooLarge} /inbox/too-large.xml`], ['-b', '-']);
    expect(status).toBe(1);
    expect(err).toContain('file is larger than 20 MiB, the limit of this server');
    expect(server.committed().some(({ name }) => name === 'too-large.xml')).toBe(false);
    expect(server.receiving()).toEqual([]);
  });

  it('is told in a sentence that files go into inbox only', async () => {
    const { status, err } = await openSsh(server, [`put ${invoice} /outbox/invoice.xml`], ['-b', '-']);
    expect(status).toBe(1);
    expect(err).toContain('files can be put into inbox only');
  });

  it('puts a folder with -r into inbox', async () => {
    const folder = mkdtempSync(join(local, 'batch-'));
    writeFileSync(join(folder, 'a.xml'), 'a');
    writeFileSync(join(folder, 'b.xml'), 'b');
    const { status } = await openSsh(server, [`put -r ${folder}/. /inbox`]);
    expect(status).toBe(0);
    expect(server.committed().map(({ name }) => name)).toEqual(expect.arrayContaining(['a.xml', 'b.xml']));
  });

  it('uploads under a temporary name and renames it: the rename is the commit', async () => {
    const { status } = await openSsh(
      server,
      [`put ${invoice} inbox/renamed.xml.part`, 'rename inbox/renamed.xml.part inbox/renamed.xml'],
      ['-b', '-'],
    );
    expect(status).toBe(0);
    expect(server.committed().filter(({ name }) => name.startsWith('renamed'))).toHaveLength(1);
  });

  it('sends a refused file again by moving it to inbox', async () => {
    server.place('refused', 'again.xml', '<Invoice/>');
    const { status } = await openSsh(server, ['rename refused/again.xml inbox/again.xml'], ['-b', '-']);
    expect(status).toBe(0);
    expect(
      server
        .committed()
        .find(({ name }) => name === 'again.xml')
        ?.content.toString(),
    ).toBe('<Invoice/>');
  });

  it('scp puts and gets, with exit status 0', async () => {
    server.place('receipts', 'receipt.json', '{}');
    expect(await scp(server, [invoice, 'remote:/inbox/by-scp.xml'])).toMatchObject({ status: 0 });
    expect(await scp(server, ['remote:/receipts/receipt.json', join(local, 'receipt.json')])).toMatchObject({ status: 0 });
    expect(readFileSync(join(local, 'receipt.json'), 'utf8')).toBe('{}');
    expect(server.committed().some(({ name }) => name === 'by-scp.xml')).toBe(true);
  });

  it('exchanges keys anew in mid-transfer, both ways, without harm', async () => {
    server.place('outbox', 'large.xml', readFileSync(large));
    const got = join(local, 'rekeyed.xml');
    const args = ['-o', 'RekeyLimit=1M', '-b', '-'];
    const { status } = await openSsh(server, [`put ${large} inbox/rekeyed.xml`, `get outbox/large.xml ${got}`], args);
    expect(status).toBe(0);
    expect(
      server
        .committed()
        .find(({ name }) => name === 'rekeyed.xml')
        ?.content.equals(readFileSync(large)),
    ).toBe(true);
    expect(readFileSync(got).equals(readFileSync(large))).toBe(true);
  });

  it('uploads in eight sessions at once', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `parallel-${n}.xml`);
    const ran = await Promise.all(names.map((name) => openSsh(server, [`put ${invoice} inbox/${name}`], ['-b', '-'])));
    expect(ran.map(({ status }) => status)).toEqual(names.map(() => 0));
    expect(server.committed().map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });

  it.each([
    ['an empty file', ''],
    ['a name with spaces, quotes and accents', '<Invoice/>'],
  ])('puts %s', async (what, content) => {
    const name = content ? "l'été 'neuf'.xml" : 'empty.xml';
    writeFileSync(join(local, name), content);
    const { status } = await openSsh(server, [`put "${join(local, name)}" "inbox/${name}"`], ['-b', '-']);
    expect([what, status]).toEqual([what, 0]);
    expect(
      server
        .committed()
        .find((file) => Buffer.from(file.name, 'latin1').toString() === name)
        ?.content.toString(),
    ).toBe(content);
  });

  it('scp -O, a shell and a command are refused with a sentence', async () => {
    const trace = join(local, 'trace');
    const commands = ['md5sum x', 'sha256sum /outbox/x', `md5sum x; touch ${trace}`, `$(touch ${trace})`, `x\ntouch ${trace}`, ''];
    for (const refused of [scp(server, ['-O', invoice, 'remote:/inbox/x.xml']), ...commands.map((command) => ssh(server, [command]))]) {
      const { status, err } = await refused;
      expect(status).toBe(1);
      expect(err).toContain('this server offers SFTP only');
    }
    expect(existsSync(trace)).toBe(false);
  });
});
