// The folder `status` with 100,000 documents: OpenSSH lists them within three seconds; and clients that open thousands of files, or leave
// listings half read, take no more than their share.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type ssh2 from 'ssh2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StatusView } from '#gateway/answers/status.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { slownessNow } from '../../../support/cost.ts';
import { heldMb } from '../../../support/heap.ts';
import { called, connect, have, openSftp, openSsh } from '../../../support/sftp-clients.ts';
import { ACCOUNT, startTestServer, type TestServer } from '../../../support/sftp-server.ts';
import { fillHome } from '../../../support/world/ledger-rows.ts';

const DOCUMENTS = 100_000;
const WITHIN_MS = 3_000;
const OPENS = 10_000;
const HANDLES_MAX = 64;
const BYTES = 2_048;

const TURNS_MAX = 3;

/** Beside one that is read whole: more folders a session may not have open. */
const HALF_READ = 7;
/** Names that are read ahead. */
const PAGE = 1_000;
const HELD_MB_MAX = 20;
/** SSH_FX_EOF */
const EOF = 1;

let data: string;
let ledger: Ledger;
let server: TestServer;
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'dropgate-status-'));
  ledger = await openGatewayLedger(data);
  const sinceMs = systemClock.now() - 86_400_000;
  await fillHome(ledger, ACCOUNT, DOCUMENTS, sinceMs);
  await fillHome(ledger, 'beta-ab', DOCUMENTS, sinceMs - 1_000);
  const seal = await openSeal(join(data, 'secret.key'), systemRandom);
  server = await startTestServer({
    settings: { handlesMax: HANDLES_MAX },
    logins: [{ rules: { answers: ['status'] } }],
    views: { status: new StatusView({ ledger, data, seal, clock: systemClock }) },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await ledger.close();
  rmSync(data, { recursive: true });
});

it.runIf(have('sftp'))('OpenSSH lists all of them within three seconds, and gets one of the size that was listed', async () => {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TURNS_MAX && leastMs >= WITHIN_MS; turn++) {
    const slowness = await slownessNow();
    const begun = performance.now();
    const { status, out } = await openSsh(server, ['ls -1 status']);
    const tookMs = performance.now() - begun;
    expect([status, new Set(out.match(/N-\d+\.txt/g)).size]).toEqual([0, DOCUMENTS]);
    leastMs = Math.min(leastMs, tookMs / Math.max(slowness, await slownessNow()));
    process.stdout.write(`status: OpenSSH lists ${DOCUMENTS} documents in ${Math.round(tookMs)} ms\n`);
  }
  expect(leastMs).toBeLessThan(WITHIN_MS);
  const local = join(data, 'got.txt');
  expect((await openSsh(server, [`get status/N-77777.txt ${local}`])).status).toBe(0);
  expect(readFileSync(local).length).toBe(BYTES);
});

it('a client that opens 10,000 files has as many as it may have', async () => {
  const client = await connect(server);
  try {
    const sftp = await openSftp(client);
    const open = (at: number): Promise<Buffer> => called<Buffer>((done) => sftp.open(`/status/N-${at + 1}.txt`, 'r', done));
    const opened = await Promise.allSettled(Array.from({ length: OPENS }, (_, at) => open(at)));
    const handles = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(handles.length).toBe(HANDLES_MAX);
    for (const handle of handles) await called<void>((done) => sftp.close(handle, done));
    expect((await called<Buffer>((done) => sftp.readFile('/status/N-1.txt', done))).length).toBe(BYTES);
  } finally {
    client.end();
  }
});

it('listings that are left half read, and one that is read to its end, hold no names but those that come next', async () => {
  const client = await connect(server);
  try {
    const sftp = await openSftp(client);
    const begin = (): Promise<Buffer> => called<Buffer>((done) => sftp.opendir('/status', done));
    /** How many names came; 0 at the end. */
    const readSome = (listing: Buffer): Promise<number> =>
      called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(listing, done)).then(
        (names) => names.length,
        (error: unknown) => {
          if (error instanceof Error && 'code' in error && error.code === EOF) return 0;
          throw error;
        },
      );
    const readTo = async (listing: Buffer, count: number): Promise<number> => {
      let read = 0;
      for (let some = -1; some !== 0 && read < count; read += some) some = await readSome(listing);
      return read;
    };
    // What the first one loads stays.
    const first = await begin();
    await readTo(first, PAGE);
    await called<void>((done) => sftp.close(first, done));
    const before = heldMb();
    const halves: Buffer[] = [];
    for (let at = 0; at < HALF_READ; at++) {
      const listing = await begin();
      expect(await readTo(listing, DOCUMENTS / 2)).toBeLessThan(DOCUMENTS);
      halves.push(listing);
    }
    const whole = await begin();
    let [read, mostMb] = [0, heldMb() - before];
    for (let some = -1; some !== 0; read += some) {
      some = await readTo(whole, DOCUMENTS / 10);
      mostMb = Math.max(mostMb, heldMb() - before);
    }
    // All of them, and today's table.
    expect(read).toBe(DOCUMENTS + 1);
    process.stdout.write(`status: ${HALF_READ} listings half read, and one whole, hold ${mostMb.toFixed(1)} MB\n`);
    expect(mostMb).toBeLessThan(HELD_MB_MAX);
    for (const listing of [...halves, whole]) await called<void>((done) => sftp.close(listing, done));
  } finally {
    client.end();
  }
});
