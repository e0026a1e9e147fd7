// Both ledgers are copied from SQLite to PostgreSQL and back, and the daemon goes on with the copy where it was.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { configure, SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { freePort } from '../support/free-port.ts';
import { connectedTo, hasPostgres, newPostgresDatabase } from '../support/postgres.ts';
import { uploadInvoice } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

function moveAway({ data, folder }: TestDaemon): void {
  const aside = join(folder, `aside-${Date.now()}`);
  mkdirSync(aside);
  for (const name of readdirSync(data)) if (name.includes('.db')) renameSync(join(data, name), join(aside, name));
}

/** The lines of the tables. */
const tablesOf = (out: string): string[] => out.split('\n').filter((line) => /^(?:core|gateway)\t/.test(line));
const countOf = (lines: readonly string[], table: string): number =>
  Number(lines.find((line) => line.includes(`\t${table}\t`))?.split('\t')[2]);
const received = (daemon: TestDaemon, id: string): string[] => daemon.files('buyer', 'outbox').filter((name) => name.includes(id));

describe.runIf(hasPostgres)('dropgate copy-ledgers', () => {
  it('copies all rows there and back, and what was pending is sent once', async () => {
    await using held = await newPostgresDatabase();
    const { config, env } = connectedTo(held.place);
    const { url, ...kept } = config.database;
    await using daemon = await startDaemon({
      accounts: SELLER_AND_BUYER,
      config: { database: kept },
      env,
    });
    const configured = await fetch(`${daemon.coreUrl}/account/buyer/webhook/configure`, {
      method: 'PUT',
      headers: { authorization: `ApiKey ${daemon.apiKey('buyer')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'https://hooks.example.invalid/dropgate' }),
    });
    expect(configured.status).toBe(200);
    for (const id of ['first', 'second']) {
      await uploadInvoice(daemon, id);
      await until(`${id} in the outbox`, () => received(daemon, id).length === 1);
    }
    expect(await daemon.cli(['copy-ledgers', '--to', url])).toMatchObject({ status: 75, err: expect.stringContaining('stop it first') });
    await daemon.stop();
    expect(await daemon.cli(['copy-ledgers', '--to', 'sqlite'])).toMatchObject({ status: 64, err: expect.stringContaining('already') });

    // Its service does not answer: the item waits.
    const { role: _, ...usual } = parse(readFileSync(daemon.configFile, 'utf8'));
    configure(daemon, { role: 'gateway', service: { url: `http://127.0.0.1:${await freePort()}` } });
    await daemon.start();
    await uploadInvoice(daemon, 'pending');
    await daemon.stop();
    writeFileSync(daemon.configFile, stringify(usual));

    const there = await daemon.cli(['copy-ledgers', '--to', url]);
    expect(there).toMatchObject({ status: 0, err: '' });
    const tables = tablesOf(there.out);
    expect(tables.filter((line) => !line.endsWith('\tequal'))).toEqual([]);
    expect([countOf(tables, 'items'), countOf(tables, 'messages'), countOf(tables, 'message_contents')]).toEqual([3, 4, 4]);
    expect(countOf(tables, 'webhook_events')).toBeGreaterThan(0);
    const again = await daemon.cli(['copy-ledgers', '--to', url]);
    expect(again).toMatchObject({ status: 73, err: expect.stringContaining('drop schema dropgate_core, dropgate_gateway cascade') });

    configure(daemon, { database: { ...kept, url } });
    const occupied = await daemon.cli(['copy-ledgers', '--to', 'sqlite']);
    expect(occupied).toMatchObject({ status: 73, err: expect.stringContaining('move core.db and gateway.db away') });
    moveAway(daemon);
    const back = await daemon.cli(['copy-ledgers', '--to', 'sqlite']);
    expect(back).toMatchObject({ status: 0, err: '' });
    expect(tablesOf(back.out)).toEqual(tables);

    await daemon.start();
    await daemon.receipt('seller', 'pending.xml', 'accepted');
    await until('pending in the outbox', () => received(daemon, 'pending').length > 0);
    await uploadInvoice(daemon, 'later');
    await until('later in the outbox', () => received(daemon, 'later').length > 0);
    expect(daemon.files('buyer', 'outbox')).toHaveLength(4);
    expect(daemon.files('seller', 'receipts').filter((name) => name.includes('pending.xml') && name.includes('accepted'))).toHaveLength(1);
    expect(await daemon.stop()).toBe(0);
  });
});
