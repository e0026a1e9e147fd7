// The straight path through the real daemon: an invoice goes in by OpenSSH's sftp or by folder, its receipt comes back, the buyer has
// the very bytes. And files that cannot be taken: refused with a sentence, and nothing else disturbed.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { BUYER, invoice, invoiceOfSize, SELLER } from '../support/documents.ts';
import { have, openSsh, run } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

const FIXTURE = resolve(import.meta.dirname, '../fixtures/invoice.xml');
/** It takes a fraction of a second; ten times the two seconds that are promised, for slow machines that do much else. */
const RECEIPT_WITHIN_MS = 20_000;
/** By folder a file must first lie still for gateway.settle, and be looked at twice. */
const BY_FOLDER_WITHIN_MS = 60_000;
const BATCH = ['-b', '-'];

describe.skipIf(!have('sftp'))('The straight path', () => {
  let daemon: TestDaemon;
  const local = mkdtempSync(join(tmpdir(), 'dropgate-local-'));

  beforeAll(async () => {
    daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  });
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
    rmSync(local, { recursive: true });
  });

  function localFile(name: string, content: string | Uint8Array): string {
    const path = join(local, name);
    writeFileSync(path, content);
    return path;
  }

  /** The buyer's file with this document id, as soon as it is there. */
  function inOutbox(documentId: string): Promise<Buffer> {
    return until(`${documentId} in the buyer's outbox`, () => {
      const name = daemon.files('buyer', 'outbox').find((each) => each.includes(`_Invoice_${documentId}_`));
      return name === undefined ? null : daemon.read('buyer', 'outbox', name);
    });
  }

  it('S040 takes an upload: a receipt within two seconds, and the same bytes in the outbox of the buyer', async () => {
    const { status, err } = await openSsh(daemon, [`put ${FIXTURE} inbox/invoice.xml`], BATCH);
    expect({ status, err }).toEqual({ status: 0, err: '' });

    const receipt = await daemon.receipt('seller', 'invoice.xml', 'accepted', RECEIPT_WITHIN_MS);
    expect(receipt).toMatchObject({
      receipt: 1,
      stage: 'accepted',
      action: 'none',
      file: 'invoice.xml',
      accountRegNo: 'seller',
      family: 'Invoice',
      documentId: '2026-0042',
      sender: SELLER,
      receiver: BUYER,
      integrationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      findings: [],
      error: null,
    });
    expect(await inOutbox('2026-0042')).toEqual(readFileSync(FIXTURE));
    await until('the original in accepted', () => daemon.files('seller', 'accepted').some((name) => /^invoice\..+\.xml$/.test(name)));
  });

  it('takes an upload of 2 MiB: the same bytes in the outbox of the buyer', async () => {
    const bytes = invoiceOfSize(2 * 1024 * 1024, { id: 'long' });
    const { status, err } = await openSsh(daemon, [`put ${localFile('long.xml', bytes)} inbox/long.xml`], BATCH);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    await daemon.receipt('seller', 'long.xml', 'accepted', RECEIPT_WITHIN_MS);
    expect(Buffer.compare(await inOutbox('long'), bytes)).toBe(0);
  });

  it('shows the receipt to the client, and the document to the buyer', async () => {
    const { status, out } = await openSsh(
      daemon,
      ['ls -1 receipts', `get receipts/invoice.xml.*.accepted.json ${local}/receipt.json`],
      BATCH,
    );
    expect(status).toBe(0);
    expect(out).toMatch(/receipts\/invoice\.xml\.\w+\.accepted\.json/);
    expect(JSON.parse(readFileSync(join(local, 'receipt.json'), 'utf8'))).toMatchObject({ documentId: '2026-0042' });
  });

  it.skipIf(!have('curl'))('lets curl read the message with the API key that was printed', async () => {
    const url = `${daemon.coreUrl}/transaction/buyer/invoices/incoming?documentId=2026-0042`;
    const key = ['-H', `Authorization: ApiKey ${daemon.apiKey('buyer')}`];
    const json = await run('curl', ['-sS', '--fail', ...key, url]);
    expect(json.status).toBe(0);
    expect(JSON.parse(json.out)).toMatchObject({ status: 'success', data: [{ integrationId: expect.any(String) }] });
    const xml = await run('curl', ['-sS', '--fail', ...key, '-H', 'Accept: application/xml', url]);
    expect(xml.out).toBe(readFileSync(FIXTURE, 'utf8'));
    const refused = await run('curl', [
      '-sS',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '-H',
      `Authorization: ApiKey ${daemon.apiKey('seller')}`,
      url,
    ]);
    expect(refused.out).toBe('401');
  });

  it('takes a file that a program puts into the folder', async () => {
    const bytes = invoice({ id: 'BY-FOLDER' });
    copyFileSync(localFile('by-folder.xml', bytes), join(daemon.home('seller', 'inbox'), 'by-folder.xml'));
    const receipt = await daemon.receipt('seller', 'by-folder.xml', 'accepted', BY_FOLDER_WITHIN_MS);
    expect(receipt).toMatchObject({ action: 'none', documentId: 'BY-FOLDER' });
    expect(await inOutbox('BY-FOLDER')).toEqual(Buffer.from(bytes));
    expect(daemon.files('seller', 'inbox')).not.toContain('by-folder.xml');
  });

  const BAD: readonly { readonly what: string; readonly name: string; readonly content: string | Uint8Array; readonly says: RegExp }[] = [
    {
      what: 'broken XML',
      name: 'broken.xml',
      content: Buffer.from(invoice({ id: 'BROKEN' }))
        .toString()
        .replace('</cbc:ID>', '</cbc:Id>'),
      says: /no well-formed XML: line \d+, column \d+.*Repair it/,
    },
    {
      what: 'XML that ends early',
      name: 'cut.xml',
      content: invoice({ id: 'CUT' }).subarray(0, 1_000),
      says: /ends too early.*Write it again, whole/,
    },
    { what: 'an unknown root', name: 'unknown.xml', content: '<Rechnung xmlns="urn:x"/>', says: /Rechnung/ },
    { what: 'a PDF', name: 'invoice.pdf', content: '%PDF-1.7\n', says: /PDF/ },
    { what: 'an empty file', name: 'empty.xml', content: '', says: /empty/ },
    {
      what: 'the sender of another account',
      name: 'wrong-sender.xml',
      content: invoice({ id: 'WRONG-SENDER', sender: BUYER, receiver: SELLER }),
      says: new RegExp(`${BUYER} is no participant of this account.* The account has ${SELLER}`),
    },
  ];

  for (const { what, name, content, says } of BAD) {
    it(`refuses ${what} by SFTP, with a receipt that says what to do`, async () => {
      const { status } = await openSsh(daemon, [`put ${localFile(name, content)} inbox/${name}`], BATCH);
      expect(status).toBe(0);
      await expectRefused(name, content, says);
    });
  }

  it('refuses the same from the folder', async () => {
    const bad = BAD.map((each) => ({ ...each, name: `folder-${each.name}` }));
    for (const { name, content } of bad) writeFileSync(join(daemon.home('seller', 'inbox'), name), content);
    const early = bad.filter(({ name }) => !/cut|empty/.test(name));
    for (const { name, content, says } of early) await expectRefused(name, content, says, BY_FOLDER_WITHIN_MS);
    // What merely ends early may still be being written: it is waited for, and left where it lies.
    expect(daemon.files('seller', 'inbox').filter((name) => name.startsWith('folder-'))).toEqual(['folder-cut.xml', 'folder-empty.xml']);
    for (const name of ['folder-cut.xml', 'folder-empty.xml']) rmSync(join(daemon.home('seller', 'inbox'), name));
  });

  async function expectRefused(name: string, content: string | Uint8Array, says: RegExp, withinMs = RECEIPT_WITHIN_MS): Promise<void> {
    const receipt = await daemon.receipt('seller', name, 'refused', withinMs);
    expect(receipt).toMatchObject({ stage: 'refused', action: 'fix', file: name, accountRegNo: 'seller', integrationId: null });
    expect(receipt.message).toMatch(says);
    const [stem = '', extension = ''] = name.split('.');
    const original = await until('the original in refused', () =>
      daemon.files('seller', 'refused').find((each) => each.startsWith(`${stem}.`) && each.endsWith(`.${extension}`)),
    );
    expect(daemon.read('seller', 'refused', original)).toEqual(Buffer.from(content));
  }

  it('refuses 25 MB from the folder, with a receipt that names the limit', async () => {
    const path = localFile('large.xml', invoice({ id: 'LARGE' }));
    truncateSync(path, 25_000_000);
    copyFileSync(path, join(daemon.home('seller', 'inbox'), 'large.xml'));
    const receipt = await daemon.receipt('seller', 'large.xml', 'refused', BY_FOLDER_WITHIN_MS);
    expect(receipt).toMatchObject({ action: 'fix', message: expect.stringMatching(/25000000 bytes; 20 MiB is the limit/) });
  });

  it('lets the upload of 25 MB over SFTP fail, with a sentence on the client’s terminal', async () => {
    const path = localFile('large-by-sftp.xml', '');
    truncateSync(path, 25_000_000);
    const { status, err } = await openSsh(daemon, [`put ${path} inbox/large-by-sftp.xml`], BATCH);
    expect(status).toBe(1);
    expect(err).toContain('file is larger than 20 MiB, the limit of this server');
    const { out } = await openSsh(daemon, ['ls -1 inbox'], BATCH);
    expect(out).not.toContain('large-by-sftp.xml');
  });

  it('has disturbed nothing else: good files go through as before, and the buyer has only those', async () => {
    const bytes = invoice({ id: 'AFTER-ALL' });
    await openSsh(daemon, [`put ${localFile('after-all.xml', bytes)} inbox/after-all.xml`], BATCH);
    await daemon.receipt('seller', 'after-all.xml', 'accepted', RECEIPT_WITHIN_MS);
    expect(await inOutbox('AFTER-ALL')).toEqual(Buffer.from(bytes));
    const documents = daemon.files('buyer', 'outbox').map((name) => /_Invoice_(.+?)_/.exec(name)?.[1]);
    expect(documents.sort()).toEqual(['2026-0042', 'AFTER-ALL', 'BY-FOLDER', 'long']);
    expect(daemon.files('buyer', 'receipts')).toEqual([]);
    expect(daemon.spooled()).toEqual([]);
  });

  it('serves an account that was added while it runs within two seconds', async () => {
    const args = [
      'account',
      'add',
      'newcomer',
      '--name',
      'Newcomer',
      '--participant',
      '0088:7300010000018',
      '--login',
      'newcomer',
      '--password-stdin',
      '--json',
    ];
    const added = await daemon.cli(args, 'a password of its own\n');
    expect(added).toMatchObject({ status: 0, err: '' });
    expect(JSON.parse(added.out)).toMatchObject({
      accountRegNo: 'newcomer',
      apiKey: expect.stringMatching(/^dg_test_/),
      login: 'newcomer',
    });
    const bytes = invoice({ id: 'TO-NEWCOMER', receiver: '0088:7300010000018' });
    await openSsh(daemon, [`put ${localFile('to-newcomer.xml', bytes)} inbox/to-newcomer.xml`], BATCH);
    const name = await until('the outbox of the new account', () => daemon.files('newcomer', 'outbox')[0]);
    expect(daemon.read('newcomer', 'outbox', name)).toEqual(Buffer.from(bytes));
  });

  it('refuses a second daemon on the same data folder', async () => {
    const { status, err } = await daemon.cli(['serve']);
    expect(status).toBe(75);
    expect(err).toMatch(/Another dropgate runs on .*data; stop it first, or give this one another data folder/);
    expect((await openSsh(daemon, ['ls inbox'], BATCH)).status).toBe(0);
  });

  it('goes on after a restart: nothing is sent or published again, and the host key is the same', async () => {
    const before = { outbox: daemon.files('buyer', 'outbox'), receipts: daemon.files('seller', 'receipts') };
    const hostKeys = readFileSync(daemon.knownHosts, 'utf8').replaceAll(/^\S+/gm, '');
    expect(await daemon.stop()).toBe(0);
    await daemon.start();
    expect(readFileSync(daemon.knownHosts, 'utf8').replaceAll(/^\S+/gm, '')).toBe(hostKeys);
    const bytes = invoice({ id: 'AFTER-RESTART' });
    await openSsh(daemon, [`put ${localFile('after-restart.xml', bytes)} inbox/after-restart.xml`], BATCH);
    await daemon.receipt('seller', 'after-restart.xml', 'accepted', RECEIPT_WITHIN_MS);
    expect(await inOutbox('AFTER-RESTART')).toEqual(Buffer.from(bytes));
    expect(daemon.files('buyer', 'outbox').filter((name) => !before.outbox.includes(name))).toHaveLength(1);
    const taken = daemon.files('seller', 'receipts').filter((name) => name.includes('.accepted.') && !before.receipts.includes(name));
    expect(taken).toHaveLength(1);
  });

  it('sends the same file again as a duplicate: the receipt names the first, and the buyer gets it once', async () => {
    await openSsh(daemon, [`put ${FIXTURE} inbox/invoice.xml`], BATCH);
    expect(await daemon.receipt('seller', 'invoice.xml', 'duplicate', RECEIPT_WITHIN_MS)).toMatchObject({
      action: 'none',
      documentId: '2026-0042',
    });
    expect(daemon.files('buyer', 'outbox').filter((name) => name.includes('2026-0042'))).toHaveLength(1);
  });

  it('logs neither secrets nor documents, and nothing that somebody must look at', () => {
    const facts = daemon.facts();
    const text = JSON.stringify(facts);
    for (const secret of [daemon.apiKey('seller'), daemon.apiKey('buyer'), 'correct horse', 'EndpointID'])
      expect(text).not.toContain(secret);
    expect(facts.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
