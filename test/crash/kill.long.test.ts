// Kills the daemon (SIGKILL) at random moments while an ERP uploads and another takes documents away, starts it again each time, and
// counts in the end: every upload that was acknowledged has arrived, exactly once. DROPGATE_KILL_UPLOADS and DROPGATE_KILL_SEED make it longer
// or repeat a run.
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice, SELLER } from '../support/documents.ts';
import { randomOf } from '../support/random.ts';
import { called, connect, openSftp } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

const { DROPGATE_KILL_UPLOADS: uploadsGiven, DROPGATE_KILL_SEED: seedGiven } = process.env;
const UPLOADS = Number(uploadsGiven ?? 200);
const SEED = Number(seedGiven ?? Date.now() % 1_000_000);
const UPLOADS_AT_ONCE = 6;
/** Acknowledged uploads between two kills, at the most. */
const ACKNOWLEDGED_MAX = 60;
/** Kills behind the last upload, while submits and publications still run. */
const KILLS_AFTERWARDS = 3;
const SETTLED_WITHIN_MS = 60_000;
/** Documents of one pair of parties go one after the other, so there are several pairs. */
const RECEIVERS = ['0088:7350000000016', '0088:7350000000023', '0088:7350000000030', '0088:7350000000047', '0088:7350000000054'] as const;

describe(`Killed at random moments (seed ${SEED})`, () => {
  const random = randomOf(SEED);
  const documents = Array.from({ length: UPLOADS }, (_, at) => documentOf(at));
  let daemon: TestDaemon;
  let kills = 0;
  const acknowledged = new Set<string>();
  const tries = new Map<string, number>();

  beforeAll(async () => {
    daemon = await startDaemon({
      accounts: [
        { accountRegNo: 'seller', participants: [SELLER], login: 'erp' },
        { accountRegNo: 'buyer', participants: RECEIVERS, login: 'buyer' },
      ],
      config: { sftp: { listen: '127.0.0.1:0', unauthenticatedPerAddressMax: 100 }, core: { listen: '127.0.0.1:0', requests: 1_000_000 } },
    });
    mkdirSync(join(daemon.folder, 'taken'));
    console.log(`\nkill test: ${UPLOADS} uploads, seed ${SEED}`);
  });
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
  });

  it('every acknowledged upload arrives exactly once', { timeout: Math.max(120_000, UPLOADS * 500) }, async () => {
    const left = documents.values();
    const uploaders = Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, () => uploadAll(left)));
    const stop = new AbortController();
    const taker = takeAway(stop.signal);
    try {
      await killWhile(uploaders);
      for (let kill = 0; kill < KILLS_AFTERWARDS; kill++) await killAndStart(random(0, 250));
      await settled();
    } finally {
      stop.abort();
      await taker;
    }
    takeOutbox();

    console.log(
      `kill test: ${kills} kills, ${[...tries.values()].reduce((sum, each) => sum + each, 0)} tries for ${acknowledged.size} acknowledged uploads`,
    );
    expect(acknowledged.size).toBe(UPLOADS);
    expect(kills).toBeGreaterThan(KILLS_AFTERWARDS);
    expect(timesEach(arrived())).toEqual(onceEach());
    expect(timesEach(await messages('buyer', 'incoming'))).toEqual(onceEach());
    expect(timesEach(await messages('seller', 'outgoing'))).toEqual(onceEach());
    expectOneReceiptPerFile();
    expect(committed()).toEqual([]);
    expect(daemon.files('seller', '.staged')).toEqual([]);
    expect(daemon.files('buyer', '.staged')).toEqual([]);
    expect(daemon.facts().filter(({ level }) => level === 'error')).toEqual([]);
    expect(daemon.complaints()).toBe('');
  });

  /** As an ERP does: one file after the other, and again what was not acknowledged. */
  async function uploadAll(left: Iterable<Document>): Promise<void> {
    let session: Session | null = null;
    for (const document of left) {
      while (!acknowledged.has(document.id)) {
        try {
          session ??= await openSession();
          tries.set(document.id, (tries.get(document.id) ?? 0) + 1);
          await upload(session, document);
          acknowledged.add(document.id);
        } catch {
          session?.end();
          session = null;
          await pause(20);
        }
      }
    }
    session?.end();
  }

  interface Session {
    readonly sftp: SFTPWrapper;
    /** Rejects when the connection goes: ssh2 does not call back for what was asked before. */
    readonly lost: Promise<never>;
    readonly end: () => void;
  }

  async function openSession(): Promise<Session> {
    const client = await connect(daemon);
    const lost = new Promise<never>((_, reject) => client.once('close', () => reject(new Error('the connection was lost'))));
    lost.catch(() => undefined);
    return { sftp: await Promise.race([openSftp(client), lost]), lost, end: () => client.destroy() };
  }

  /** Resolves when CLOSE was answered with OK: from then on the daemon owes the document. */
  async function upload({ sftp, lost }: Session, { name, bytes }: Document): Promise<void> {
    const whole = async (): Promise<void> => {
      const handle = await called<Buffer>((done) => sftp.open(`/inbox/${name}`, 'w', done));
      await called((done) => sftp.write(handle, bytes, 0, bytes.length, 0, done));
      await called((done) => sftp.close(handle, done));
    };
    await Promise.race([whole(), lost]);
  }

  /** The buyer's ERP takes its documents while the daemon runs, dies and runs again: what it took must not come back. */
  async function takeAway(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      takeOutbox();
      await pause(100);
    }
  }

  function takeOutbox(): void {
    for (const name of daemon.files('buyer', 'outbox')) {
      renameSync(join(daemon.home('buyer', 'outbox'), name), join(daemon.folder, 'taken', `${takenCount++}-${name}`));
    }
  }
  let takenCount = 0;

  async function killWhile(uploaders: Promise<unknown>): Promise<void> {
    let ended = false;
    const done = uploaders.finally(() => {
      ended = true;
    });
    while (!ended) {
      const goal = acknowledged.size + random(1, ACKNOWLEDGED_MAX);
      await Promise.race([done, until('acknowledged uploads', () => acknowledged.size >= goal || ended, SETTLED_WITHIN_MS)]);
      if (!ended) await killAndStart(random(0, 30));
    }
    await done;
  }

  /** Now and then it is killed again while it starts, when it brings spool and ledger together. */
  async function killAndStart(afterMs: number): Promise<void> {
    await pause(afterMs);
    await daemon.kill();
    kills++;
    if (random(0, 3) === 0) {
      const starting = daemon.start().catch(() => undefined);
      await pause(random(100, 900));
      await daemon.kill();
      await starting;
      kills++;
    }
    await daemon.start();
  }

  /** Files that are the daemon's to deliver. What a broken connection left of an upload is kept for a resume, and is no such file. */
  function committed(): string[] {
    return daemon.spooled().filter((name) => !name.includes('~p~inbox~'));
  }

  async function settled(): Promise<void> {
    const receipts = (): number => daemon.files('seller', 'receipts').filter((name) => !name.endsWith('.delivered.json')).length;
    await until('the spool to be empty', () => committed().length === 0, SETTLED_WITHIN_MS);
    await until('every document to arrive', () => new Set(arrived()).size >= UPLOADS, SETTLED_WITHIN_MS);
    await until('every receipt', () => receipts() >= UPLOADS, SETTLED_WITHIN_MS);
    // What would come twice has its chance to come: a whole stop, start and reconcile.
    await daemon.stop();
    await daemon.start();
    await until('the marks of all messages', async () => (await unread('buyer')) === 0, SETTLED_WITHIN_MS);
  }

  /** Document ids that the buyer has got, as often as it got them; each file must hold the bytes that were sent. */
  function arrived(): string[] {
    const files = [...readdirSync(join(daemon.folder, 'taken')).map((name) => join(daemon.folder, 'taken', name))];
    return files.map((file) => {
      const bytes = readFileSync(file);
      const document = documents.find((each) => bytes.equals(each.bytes));
      return document?.id ?? `unknown bytes in ${file}`;
    });
  }

  async function messages(accountRegNo: string, direction: string): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const found = await page(accountRegNo, `${direction}?limit=100&offset=${ids.length}&includeRead=true`);
      if (found.length === 0) return ids;
      ids.push(...found);
    }
  }

  async function unread(accountRegNo: string): Promise<number> {
    const response = await request(accountRegNo, 'incoming/status?limit=1000');
    return response.status === 204 ? 0 : listOf(await response.json()).length;
  }

  async function page(accountRegNo: string, path: string): Promise<string[]> {
    const response = await request(accountRegNo, path);
    if (response.status === 204) return [];
    expect(response.status).toBe(200);
    return listOf<{ Invoice: { ID: { _: string } } }>(await response.json()).map(({ Invoice }) => Invoice.ID._);
  }

  function request(accountRegNo: string, path: string): Promise<Response> {
    const headers = { authorization: `ApiKey ${daemon.apiKey(accountRegNo)}`, accept: 'application/json' };
    return fetch(`${daemon.coreUrl}/transaction/${accountRegNo}/invoices/${path}`, { headers });
  }

  /**
   * A file whose CLOSE was not answered may be ours all the same, and then the ERP sends it again: each of the two is an item with one
   * receipt. Both name the one message that came of them, as accepted (the service replays its answer) or as duplicate.
   */
  function expectOneReceiptPerFile(): void {
    const taken = daemon.files('seller', 'receipts').filter((file) => !file.endsWith('.delivered.json'));
    const receipts = taken.map((file) => {
      const [, name, item, stage] = /^(inv-\d+\.xml)\.(\w+)\.(\w+)\.json$/.exec(file) ?? [];
      const { integrationId } = JSON.parse(daemon.read('seller', 'receipts', file).toString());
      return { name, item, stage, integrationId };
    });
    expect(new Set(receipts.map(({ item }) => item)).size).toBe(receipts.length);
    for (const { id, name } of documents) {
      const own = receipts.filter((receipt) => receipt.name === name);
      expect({ id, messages: new Set(own.map(({ integrationId }) => integrationId)).size }).toEqual({ id, messages: 1 });
      expect(own.map(({ stage }) => stage)).toContain('accepted');
      expect(own.filter(({ stage }) => stage !== 'accepted' && stage !== 'duplicate')).toEqual([]);
      expect(own.length).toBeLessThanOrEqual(tries.get(id) ?? 0);
    }
  }

  function onceEach(): Record<string, number> {
    return Object.fromEntries(documents.map(({ id }) => [id, 1]));
  }
});

interface Document {
  readonly id: string;
  readonly name: string;
  readonly bytes: Buffer;
}

function documentOf(at: number): Document {
  const receiver = RECEIVERS[at % RECEIVERS.length] ?? RECEIVERS[0];
  return { id: `KILL-${at}`, name: `inv-${at}.xml`, bytes: Buffer.from(invoice({ id: `KILL-${at}`, receiver })) };
}

function timesEach(ids: readonly string[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const id of ids) times[id] = (times[id] ?? 0) + 1;
  return times;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
function listOf<Item>(body: any): Item[] {
  return body.data;
}
