// The daemon with its ledgers in PostgreSQL: the straight path, a server that goes away and comes back, and a start after a kill.
import { readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { connectedTo, hasPostgres, newPostgresDatabase, sharedPostgres } from '../support/postgres.ts';
import { startRelay } from '../support/relay.ts';
import { uploadInvoice } from '../support/sftp-clients.ts';
import { eventually, until } from '../support/until.ts';

/** The invoice goes by SFTP, its receipt comes back, and the buyer has the very bytes. */
async function expectExchange(daemon: TestDaemon, documentId: string): Promise<void> {
  await uploadInvoice(daemon, documentId);
  await daemon.receipt('seller', `${documentId}.xml`, 'accepted');
  const name = await until(`${documentId} in the outbox`, () => daemon.files('buyer', 'outbox').find((each) => each.includes(documentId)));
  expect(daemon.read('buyer', 'outbox', name)).toEqual(Buffer.from(invoice({ id: documentId })));
}

describe.runIf(hasPostgres)('The daemon on PostgreSQL', () => {
  it('takes and delivers documents, says while the database is away that it cannot, and goes on by itself', async () => {
    await using held = await newPostgresDatabase();
    const relay = await startRelay(await sharedPostgres());
    const { user } = held.place;
    const { config, env } = connectedTo(held.place, { host: '127.0.0.1', port: relay.port });
    const corePort = await freePort();
    await using daemon = await startDaemon({
      accounts: SELLER_AND_BUYER,
      config: {
        ...config,
        core: { listen: `127.0.0.1:${corePort}` },
        sftp: { listen: `127.0.0.1:${await freePort()}`, exempt: ['127.0.0.0/8'] },
      },
      env,
    });
    await expectExchange(daemon, 'first');
    expect(readdirSync(daemon.data).filter((name) => name.endsWith('.db'))).toEqual([]);
    const { rows } = await held.administer(`select distinct schemaname as schema from pg_tables where tableowner = '${user}' order by 1`);
    expect(rows).toEqual([{ schema: 'dropgate_core' }, { schema: 'dropgate_gateway' }]);
    expect(await daemon.cli(['health'])).toMatchObject({ status: 0 });
    expect((await daemon.cli(['doctor'])).out).toContain("well\tThe core's ledger can be read");

    const { target } = relay;
    relay.target = null;
    relay.cut();
    await expect(uploadInvoice(daemon, 'refused')).rejects.toThrow('send it again later');
    const refused = await fetch(`http://127.0.0.1:${corePort}/health`);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toMatchObject({ data: 'The database does not answer; try again later.' });
    const { status, err } = await daemon.cli(['health']);
    expect(status).not.toBe(0);
    expect(err).toMatch(/the core on .*|PostgreSQL/);

    relay.target = target;
    await eventually(async () => expect(await daemon.cli(['health'])).toMatchObject({ status: 0 }));
    await expectExchange(daemon, 'second');
    expect(daemon.files('seller', 'receipts').filter((name) => name.startsWith('refused'))).toEqual([]);

    await uploadInvoice(daemon, 'third');
    await daemon.kill();
    await daemon.start();
    await daemon.receipt('seller', 'third.xml', 'accepted');
    await until('third in the outbox', () => daemon.files('buyer', 'outbox').some((name) => name.includes('third')));
    expect(daemon.files('buyer', 'outbox')).toHaveLength(3);
    expect(await daemon.stop()).toBe(0);
  });

  it('does not start while the database is away, and says why', async () => {
    await using held = await newPostgresDatabase();
    const { user, database } = held.place;
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
    await daemon.stop();
    writeFileSync(
      daemon.configFile,
      `data: ${daemon.data}\ndatabase: {url: "postgres://${user}@127.0.0.1:${await freePort()}/${database}"}\n`,
    );
    const { status, err } = await daemon.cli(['serve']);
    expect({ status, err }).toMatchObject({ status: 74, err: expect.stringContaining('start PostgreSQL, or mend database.url') });
  });
});
