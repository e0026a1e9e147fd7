// PostgreSQL crashes, and stands still, under a daemon that takes documents: nothing hangs for ever, nothing is lost, nothing comes twice.
import { describe, expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { freePort } from '../support/free-port.ts';
import { connectedTo, hasPostgres, newPostgresDatabase } from '../support/postgres.ts';
import { type StartedPostgres, startPostgres } from '../support/postgres-server.ts';
import { uploadInvoice } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import { keepAlive } from './keep-alive.ts';

/** A server that says nothing is doubted after 10 s, and asked for 5 s; then as long for each of what an upload does. */
const HANGS_MS_MAX = 45_000;
const ROUNDS = 4;
/** A document that was tried twice while PostgreSQL was away waits 45 s, and those behind it in its pair with it. */
const GOES_ON_WITHIN_MS = 300_000;

/** Again and again, until it is taken. */
function sent(daemon: TestDaemon, documentId: string): Promise<boolean> {
  const taken = (): Promise<boolean> =>
    uploadInvoice(daemon, documentId).then(
      () => true,
      () => false,
    );
  return until(`${documentId} to be taken`, taken, GOES_ON_WITHIN_MS);
}

function ready(daemon: TestDaemon): Promise<boolean> {
  return until('the daemon to be ready', async () => (await daemon.cli(['health'])).status === 0, GOES_ON_WITHIN_MS);
}

interface World {
  readonly postgres: StartedPostgres;
  readonly daemon: TestDaemon;
  readonly health: string;
}

async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  await using postgres = await startPostgres();
  const { place } = await newPostgresDatabase({ server: postgres.server });
  const corePort = await freePort();
  const { config, env } = connectedTo(place);
  await using daemon = await startDaemon({
    accounts: SELLER_AND_BUYER,
    config: {
      ...config,
      core: { listen: `127.0.0.1:${corePort}` },
      sftp: { listen: `127.0.0.1:${await freePort()}`, exempt: ['127.0.0.0/8'] },
    },
    env,
  });
  await work({ postgres, daemon, health: `http://127.0.0.1:${corePort}/health` });
}

/** Each document lies in the buyer's outbox once, and the seller has one receipt of each. */
async function expectOnce(daemon: TestDaemon, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const isThere = (name: string): boolean => name.includes(`${id}.`) || name.includes(`${id}_`);
    await until(`${id} in the outbox`, () => daemon.files('buyer', 'outbox').some(isThere), GOES_ON_WITHIN_MS);
    await daemon.receipt('seller', `${id}.xml`, 'accepted', GOES_ON_WITHIN_MS);
  }
  await until('the spool to be empty', () => daemon.spooled('seller').length === 0, GOES_ON_WITHIN_MS);
  expect(daemon.files('buyer', 'outbox')).toHaveLength(ids.length);
  expect(daemon.files('seller', 'receipts').filter((name) => name.includes('accepted'))).toHaveLength(ids.length);
  expect(daemon.files('seller', 'receipts').filter((name) => name.includes('refused'))).toEqual([]);
}

describe.runIf(hasPostgres)('PostgreSQL', () => {
  it('crashes, again and again, and comes back: what was on its way goes on by itself', async () => {
    await inWorld(async ({ postgres, daemon, health }) => {
      // It ends where PostgreSQL has crashed during a commit, and is started again.
      await using keeper = keepAlive(daemon);
      const ids: string[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        // The first are on their way when it crashes; each that is refused is sent again.
        const names = Array.from({ length: 6 }, (_, at) => `r${round}-${at}`);
        ids.push(...names);
        const sending = names.map((id) => sent(daemon, id));
        const isOfRound = (name: string): boolean => name.includes(`r${round}-`);
        await until('the first of them', () => daemon.files('buyer', 'outbox').some(isOfRound), GOES_ON_WITHIN_MS);
        await postgres.crash();
        await expect(uploadInvoice(daemon, `refused-${round}`)).rejects.toThrow();
        expect((await fetch(health)).status).toBe(503);
        expect((await daemon.cli(['health'])).status).not.toBe(0);
        await postgres.restart();
        await ready(daemon);
        await Promise.all(sending);
      }
      await expectOnce(daemon, ids);
      await keeper.stop();
      expect(await daemon.stop()).toBe(0);
    });
  });

  it('stands still: an upload is refused within its time, and goes through afterwards', async () => {
    await inWorld(async ({ postgres, daemon, health }) => {
      await uploadInvoice(daemon, 'before');
      await until('before in the outbox', () => daemon.files('buyer', 'outbox').length === 1);
      postgres.signal('SIGSTOP');
      try {
        const began = performance.now();
        await expect(uploadInvoice(daemon, 'during')).rejects.toThrow('send it again later');
        const tookMs = performance.now() - began;
        console.info(`an upload was refused after ${Math.round(tookMs)} ms`);
        expect(tookMs).toBeLessThan(HANGS_MS_MAX);
        expect((await daemon.cli(['health'])).status).not.toBe(0);
        expect((await fetch(health)).status).toBe(503);
      } finally {
        postgres.signal('SIGCONT');
      }
      await ready(daemon);
      await sent(daemon, 'during');
      await expectOnce(daemon, ['before', 'during']);
      expect(await daemon.stop()).toBe(0);
    });
  });
});
