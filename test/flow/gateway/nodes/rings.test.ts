// Files are taken on any node; the one that has the home in hand hears of it within a second, before its next sweep, whenever the home changes hands.
import { renameSync, writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DropFolder } from '#gateway/model/intake.ts';
import { invoice } from '../../../support/documents.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { obliging, refusal } from '../../../support/scripted-service.ts';
import { called, connect, openSftp, uploadInvoice } from '../../../support/sftp-clients.ts';
import { until } from '../../../support/until.ts';
import { type Node, type Nodes, startNodes } from '../../../support/world/nodes.ts';

/** What one node does while another waits for a row of the ledger. */
const TURNS = 50;

describe.runIf(hasPostgres)('A file that is taken for a home that another node has in hand', () => {
  let nodes: Nodes;
  let one: Node;
  let two: Node;

  beforeEach(async () => {
    nodes = await startNodes();
    ({ one, two } = nodes);
  });

  async function drop(node: Node, home: string, folder: DropFolder['folder'] = 'inbox'): Promise<void> {
    const { intake } = node.gateway;
    const bytes = invoice();
    const { upload, path } = await intake.open({ home, folder, name: 'a.xml', login: 'erp', session: 'session', resume: false });
    writeFileSync(path, bytes);
    await intake.commit(upload, { size: bytes.length, sha256: null });
  }
  const receipts = (home: string): Promise<unknown> => until('its receipt', () => nodes.files(home, 'receipts').length > 0);

  /** No row of an item comes until `during` has ended, which begins when one is wanted. */
  async function whileNoItemComes(wanting: () => Promise<unknown>, during: () => Promise<unknown>): Promise<void> {
    await nodes.ledger.write([], async (rows) => {
      const wait = 'begin perform pg_advisory_xact_lock_shared(1); return new; end';
      await sql`create function wait_for_test() returns trigger language plpgsql as ${sql.lit(wait)}`.execute(rows);
      await sql`create trigger waits before insert on items for each row execute function wait_for_test()`.execute(rows);
    });
    let wanted: Promise<unknown> | undefined;
    await nodes.ledger.write([], async (rows) => {
      await sql`select pg_advisory_xact_lock(1)`.execute(rows);
      wanted = wanting();
      const waiting = sql`select 1 from pg_locks where not granted and locktype = 'advisory' and objid = 1 and mode = 'ShareLock'`;
      await until('a row of an item', async () => (await waiting.execute(rows)).rows.length > 0);
      await during();
    });
    await wanted;
  }

  it('is sent within a second', async () => {
    await uploadInvoice(one.door, 'first');
    await two.pass(1);
    expect(await nodes.receipt('seller', 'first.xml', 'accepted')).toBeTruthy();
    expect(nodes.service.creates()).toHaveLength(1);
  });

  it('is sent again within a second by a rename out of refused', async () => {
    nodes.service.script = ({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION') : { status: 204 });
    await uploadInvoice(two.door, 'first');
    const refused = await until('the original', () => nodes.files('seller', 'refused')[0]);
    nodes.service.script = obliging;
    const client = await connect(one.door);
    const sftp = await openSftp(client);
    await called((done) => sftp.rename(`refused/${refused}`, 'inbox/again.xml', done));
    client.end();
    await two.pass(1);
    await nodes.receipt('seller', 'again.xml', 'accepted');
  });

  it('is found by a take up that comes after it', async () => {
    await one.gateway.giveUp('acme');
    await drop(one, 'acme');
    await two.gateway.takeUp('acme');
    await receipts('acme');
  });

  it('is heard where the take up came before its row', async () => {
    await one.gateway.giveUp('acme');
    await whileNoItemComes(
      () => drop(one, 'acme'),
      () => two.gateway.takeUp('acme'),
    );
    expect(nodes.files('acme', 'receipts')).toEqual([]);
    await two.pass(1);
    await receipts('acme');
  });

  it('lets the home be given up only after its row, where it was in hand', async () => {
    let taking: Promise<void> | undefined;
    await whileNoItemComes(
      () => drop(one, 'acme'),
      async () => {
        taking = one.gateway.giveUp('acme').then(() => two.gateway.takeUp('acme'));
        for (let turn = 0; turn < TURNS; turn++) await two.gateway.askLedger();
      },
    );
    await taking;
    await receipts('acme');
  });

  it('has its report published by the node that has the home, should the front be kept from it', async () => {
    const [folder, away] = [nodes.home('seller', 'receipts'), nodes.home('seller', 'away')];
    renameSync(folder, away);
    await drop(one, 'seller', 'test');
    renameSync(away, folder);
    expect(nodes.files('seller', 'receipts')).toEqual([]);
    await until('its receipt', async () => {
      await two.pass(1);
      return nodes.files('seller', 'receipts').length > 0;
    });
  });
});
