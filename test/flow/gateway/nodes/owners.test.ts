// Homes change hands, whatever one of them waits for, and though a move breaks off.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { ownerOf } from '#gateway/nodes/rendezvous.ts';
import { listNodes } from '#gateway/operate/nodes.ts';
import { lockStart } from '#runtime/files/lock.ts';
import { calm } from '../../../support/calm.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { obliging } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { uploadInvoice } from '../../../support/uploads.ts';
import { type NamedNode, type NamedNodes, openNamedNodes } from '../../../support/world/named-nodes.ts';

const NAMES = ['one', 'two'];
const LOOK_MS = 2_000;
const AT_ONCE = { calmMs: 0 };
/** Longer than a test looks. */
const NEVER_MS = 24 * 3_600_000;
const NOT_AUTHORIZED = {
  status: 401,
  body: { status: 'error', type: 'E_UNAUTHORIZED_CLIENT', data: 'no', metadata: { debug_error_code: 401 } },
};

/** A name for a home that is to be this node's. */
function homeOf(node: string, but = ''): string {
  const found = Array.from({ length: 100 }, (_, at) => `home-${at}`).find((home) => home !== but && ownerOf(home, NAMES) === node);
  return found ?? '';
}

function hasTakenUp({ facts }: NamedNode, home: string): boolean {
  return facts().some((fact) => fact.event === 'home.taken-up' && fact.home === home);
}

async function untilTakenUp(nodes: readonly NamedNode[], by: NamedNode, home: string): Promise<void> {
  await until(`${home} to be taken up`, () => {
    for (const { clock } of nodes) clock.advance(LOOK_MS);
    return hasTakenUp(by, home);
  });
}

async function whileNoHomeIsLeft({ ledger }: NamedNodes, during: () => Promise<unknown>): Promise<void> {
  await ledger.write([], async (rows) => {
    const refuse = `begin raise exception 'not now'; end`;
    await sql`create function refuse_for_test() returns trigger language plpgsql as ${sql.lit(refuse)}`.execute(rows);
    await sql`create trigger refuses before delete on homes_in_hand for each row execute function refuse_for_test()`.execute(rows);
  });
  await during();
  await ledger.write([], async (rows) => {
    await sql`drop trigger refuses on homes_in_hand`.execute(rows);
  });
}

describe.runIf(hasPostgres)('A node', () => {
  it('takes other homes up while one that it gives up waits for a request, and gives that up when it is refused', async () => {
    const answered = Promise.withResolvers<void>();
    const moving = homeOf('two');
    const added = homeOf('one');
    const nodes = await openNamedNodes([moving], async (seen) => {
      if (seen.method !== 'POST') return obliging(seen);
      await answered.promise;
      return NOT_AUTHORIZED;
    });
    const one = await nodes.start('one', { settings: { requestTimeout: NEVER_MS } }, AT_ONCE);
    await uploadInvoice(one.gateway.intake, moving, 'F-1');
    await until('it to be posted', () => nodes.service.creates().length === 1);
    const two = await nodes.start('two', {}, AT_ONCE);
    one.clock.advance(LOOK_MS);
    await calm();
    await nodes.add(added);
    await untilTakenUp([one], one, added);
    expect(hasTakenUp(two, moving)).toBe(false);
    // For which it reads the accounts again, which have changed.
    await nodes.add(homeOf('one', added));
    answered.resolve();
    await untilTakenUp([one, two], two, moving);
  });

  it('keeps a home until the one that is to have it has started', async () => {
    const moving = homeOf('two');
    const nodes = await openNamedNodes([moving], obliging);
    const one = await nodes.start('one', {}, AT_ONCE);
    const another = await lockStart(nodes.data);
    const starting = nodes.start('two', {}, AT_ONCE);
    const stateOfTwo = async () => (await listNodes(nodes.ledger)).find(({ node }) => node === 'two')?.state;
    await until('it to join', async () => (await stateOfTwo()) === 'starts');
    for (let look = 0; look < 3; look++) {
      one.clock.advance(LOOK_MS);
      await calm();
    }
    expect(one.facts().map(({ event }) => event)).not.toContain('home.given-up');
    another[Symbol.dispose]();
    const two = await starting;
    expect(await stateOfTwo()).toBe('lives');
    await untilTakenUp([one, two], two, moving);
  });

  it('has a home whose giving up broke off taken up by another all the same', async () => {
    const moving = homeOf('two');
    const nodes = await openNamedNodes([moving], obliging);
    const one = await nodes.start('one', {}, AT_ONCE);
    const two = await nodes.start('two', {}, AT_ONCE);
    await whileNoHomeIsLeft(nodes, () =>
      until('it to break off', () => {
        one.clock.advance(LOOK_MS);
        return one.facts().some(({ event }) => event === 'home.not-moved');
      }),
    );
    await untilTakenUp([one, two], two, moving);
  });

  it('has a home whose taking up broke off in the end taken up anew', async () => {
    const nodes = await openNamedNodes(['acme'], obliging);
    const one = await nodes.start('one');
    const two = await nodes.start('two');
    const name = async (from: string, to: string): Promise<void> => {
      await nodes.ledger.write([], (rows) => sql`alter table ${sql.table(from)} rename to ${sql.id(to)}`.execute(rows));
    };
    // Whose statuses are followed is the last that is read.
    await name('deliveries', 'away');
    await one.stop();
    await until('it to break off', () => {
      two.clock.advance(LOOK_MS);
      return two.facts().some(({ event }) => event === 'home.not-moved');
    });
    expect(hasTakenUp(two, 'acme')).toBe(false);
    await name('away', 'deliveries');
    await untilTakenUp([two], two, 'acme');
  });

  it('takes no connections while it gives its homes up', async () => {
    const answered = Promise.withResolvers<void>();
    const nodes = await openNamedNodes([homeOf('one')], async (seen) => {
      if (seen.method === 'POST') await answered.promise;
      return obliging(seen);
    });
    const one = await nodes.start('one');
    await nodes.start('two');
    await uploadInvoice(one.gateway.intake, homeOf('one'), 'F-1');
    await until('it to be posted', () => nodes.service.creates().length === 1);
    const stopped = one.gateway.close(new AbortController().signal);
    await until('it to be closed', () => one.facts().some(({ event }) => event === 'sftp.closed'));
    expect(one.facts().some(({ event }) => event === 'node.left')).toBe(false);
    answered.resolve();
    await stopped;
  });
});
