// Two daemons on one database of PostgreSQL: what one has in hand the other leaves alone; one that was killed has it again at once.
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { sealPath } from '#gateway/disk/paths.ts';
import { putProcess, takeHomes } from '#gateway/ledger/hands.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { connectedTo, hasPostgres, newPostgresDatabase, type PostgresDatabase, sharedPostgres } from '../support/postgres.ts';
import { MAIN } from '../support/program.ts';
import { startRelay } from '../support/relay.ts';
import { type Ran, run, uploadInvoice } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

/** A command of an installation that has a data folder of its own, and the database and the key file of the daemon. */
function beside(daemon: TestDaemon, { place }: PostgresDatabase, role: 'all' | 'gateway', args: readonly string[]): Promise<Ran> {
  const { config, env } = connectedTo(place);
  const data = join(daemon.folder, 'second');
  mkdirSync(data, { recursive: true });
  const file = join(daemon.folder, 'second.yaml');
  const listen = { sftp: { listen: '127.0.0.1:0' }, ...(role === 'all' && { core: { listen: '127.0.0.1:0' } }) };
  const service = role === 'gateway' && { service: { url: daemon.coreUrl } };
  writeFileSync(file, stringify({ role, data, masterKey: sealPath(daemon.data), ...config, ...listen, ...service }));
  return run(process.execPath, [MAIN, ...args, '--config', file], undefined, env);
}

/** With the rights and times of all that is in it, as who moves an installation copies it. */
async function copyFolder(from: string, to: string): Promise<void> {
  expect(await run('cp', ['-a', from, to])).toMatchObject({ status: 0 });
}

const delivered = (daemon: TestDaemon, id: string): Promise<unknown> =>
  until(`${id} in the outbox`, () => daemon.files('buyer', 'outbox').some((name) => name.includes(id)));

describe.runIf(hasPostgres)('Two daemons on one database', () => {
  it('are kept apart: the second one does not start, nor does it order anything, and says where the first one runs', async () => {
    await using held = await newPostgresDatabase();
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, ...connectedTo(held.place) });
    const item = await uploadInvoice(daemon, 'first').then(() => delivered(daemon, 'first'));
    expect(item).toBeTruthy();
    const core = await beside(daemon, held, 'all', ['serve']);
    expect(core).toMatchObject({ status: 75, err: expect.stringContaining('Another core works on this database') });
    const gateway = await beside(daemon, held, 'gateway', ['serve']);
    expect(gateway.status).toBe(75);
    expect(gateway.err).toContain(
      `data folder ${daemon.data}) has the database of the data folder ${join(daemon.folder, 'second')} in hand`,
    );
    expect((await beside(daemon, held, 'gateway', ['recover'])).err).toContain('has the homes in hand: stop it first');
    const [{ item: id = '' } = {}] = JSON.parse(`[${(await daemon.cli(['items', '--json'])).out.trim().split('\n').join(',')}]`);
    const cancelled = await beside(daemon, held, 'gateway', ['cancel', id]);
    expect(cancelled).toMatchObject({ status: 75, err: expect.stringContaining('has home seller in hand: run the command where it runs') });
    // Nothing has happened to the first one.
    await uploadInvoice(daemon, 'second');
    await delivered(daemon, 'second');
    expect(await daemon.stop()).toBe(0);
  });

  it('share homes where they have one data folder: what another has is left alone, and named', async () => {
    await using held = await newPostgresDatabase();
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, ...connectedTo(held.place) });
    await daemon.stop();
    const other = await openGatewayLedger(daemon.data, held.place, { process: 'other' });
    try {
      expect(await other.claim('other', async () => true)).toBe(true);
      await other.write(['administration'], async (rows) => {
        await putProcess(rows, { incarnation: 'other', place: 'elsewhere' });
        await takeHomes(rows, 'other', { only: ['buyer'] });
      });
      await daemon.start();
      expect(daemon.facts().find(({ event }) => event === 'homes.elsewhere')).toMatchObject({ homes: 1, first: ['buyer'] });
      await uploadInvoice(daemon, 'first');
      await daemon.receipt('seller', 'first.xml', 'accepted');
      expect(daemon.files('buyer', 'outbox')).toEqual([]);
      await daemon.stop();
    } finally {
      await other.close();
    }
    await daemon.start();
    await delivered(daemon, 'first');
  });

  it('are one, when it was killed and is started at once, though PostgreSQL has not heard that it has ended', async () => {
    await using held = await newPostgresDatabase();
    const relay = await startRelay(await sharedPostgres());
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, ...connectedTo(held.place, relay) });
    await uploadInvoice(daemon, 'first');
    relay.hidesEnds = true;
    await daemon.kill();
    await daemon.start();
    await delivered(daemon, 'first');
    await daemon.receipt('seller', 'first.xml', 'accepted');
    await uploadInvoice(daemon, 'second');
    await delivered(daemon, 'second');
    expect(daemon.files('buyer', 'outbox')).toHaveLength(2);
  });

  it('are kept apart, too, where the folder of the second one is a copy of the first one’s, which goes on', async () => {
    await using held = await newPostgresDatabase();
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, ...connectedTo(held.place) });
    const item = await uploadInvoice(daemon, 'first').then(() => delivered(daemon, 'first'));
    expect(item).toBeTruthy();
    const copy = join(daemon.folder, 'second');
    await copyFolder(daemon.data, copy);
    const holders = "select pid from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' order by pid";
    const { rows: before } = await held.administer(holders);
    const gateway = await beside(daemon, held, 'gateway', ['serve']);
    expect(gateway.status).toBe(75);
    expect(gateway.err).toContain(`${copy} is a copy of that of another dropgate, which has the database in hand`);
    expect(gateway.err).toContain(`data folder ${daemon.data}): stop it, or give this one a database and a data folder of its own`);
    expect(await beside(daemon, held, 'gateway', ['recover'])).toMatchObject({ status: 75 });
    const [{ item: id = '' } = {}] = JSON.parse(`[${(await daemon.cli(['items', '--json'])).out.trim().split('\n').join(',')}]`);
    expect(await beside(daemon, held, 'gateway', ['cancel', id])).toMatchObject({ status: 75 });
    // Nothing has happened to the first one: the sessions that have its names stand.
    expect(before.length).toBeGreaterThan(0);
    expect((await held.administer(holders)).rows).toEqual(before);
    await uploadInvoice(daemon, 'second');
    await delivered(daemon, 'second');
    expect(daemon.facts().map(({ event }) => event)).not.toContain('recover.restored');
    expect(await daemon.stop()).toBe(0);
  });

  it('are one, by whichever path its folder is reached, and where that was moved', async () => {
    await using held = await newPostgresDatabase();
    const relay = await startRelay(await sharedPostgres());
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, ...connectedTo(held.place, relay) });
    await uploadInvoice(daemon, 'first');
    relay.hidesEnds = true;
    await daemon.kill();
    const moved = join(daemon.folder, 'moved');
    renameSync(daemon.data, moved);
    symlinkSync(moved, daemon.data);
    await daemon.start();
    await delivered(daemon, 'first');
    relay.hidesEnds = false;
    await daemon.kill();
    // To another file system: what is there has been copied.
    renameSync(moved, `${moved}-before`);
    await copyFolder(`${moved}-before`, moved);
    await daemon.start();
    await uploadInvoice(daemon, 'second');
    await delivered(daemon, 'second');
    // It is the folder from now on.
    relay.hidesEnds = true;
    await daemon.kill();
    await daemon.start();
    await uploadInvoice(daemon, 'third');
    await delivered(daemon, 'third');
    expect(daemon.files('buyer', 'outbox')).toHaveLength(3);
  });
});
