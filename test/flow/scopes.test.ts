// Writes that decide by rows which another one is about to change: SQLite has one writer, PostgreSQL runs them side by side.
import { describe, expect, it } from 'vitest';
import type { startGateway } from '#gateway/gateway.ts';
import { startTestCore } from '../support/core.ts';
import { invoice } from '../support/documents.ts';
import { isOn } from '../support/engine.ts';
import { created } from '../support/scripted-service.ts';
import { defectiveGateway } from '../support/stand-in/defective.ts';
import { loseAccountScopes } from '../support/unscoped.ts';
import { scripted } from '../support/world/services.ts';
import { startWorld } from '../support/world/world.ts';

const DOCUMENTS = 24;
const TRIES_MAX = 10;
/** Longer than two files that are dropped together come one after the other. */
const TOGETHER_MS = 300;
const ACCOUNT = 'acme-ab';
const RECEIVERS = ['0088:7350000000017', '0088:7350000000024'];

/** How often a file of a document was sent while another one of the same document, for another receiver, was on its way. */
async function sentTogether(start?: typeof startGateway): Promise<number> {
  const open = new Set<string>();
  let sent = 0;
  let together = 0;
  const world = await startWorld(
    scripted(async ({ method, body }) => {
      if (method !== 'POST') return { status: 204 };
      const [, id = ''] = /<cbc:ID>(D-\d+)</.exec(body.toString()) ?? [];
      sent++;
      if (open.has(id)) together++;
      open.add(id);
      await new Promise((turn) => setTimeout(turn, TOGETHER_MS));
      open.delete(id);
      return created();
    }),
    start && { start },
  );
  for (let at = 0; at < DOCUMENTS; at++) {
    const id = `D-${at}`;
    await Promise.all(RECEIVERS.map((receiver, file) => world.drop(ACCOUNT, `${id}-${file}.xml`, invoice({ id, receiver }))));
  }
  await world.inTime('all to be sent', () => sent >= 2 * DOCUMENTS);
  return together;
}

it('of two files of one document that come together, for receivers of their own, one goes at a time', async () => {
  expect(await sentTogether()).toBe(0);
});

it('documents of one account that are posted together are stored one behind the other', async () => {
  expect(await postedTogether()).toEqual(new Set([200]));
});

/** The statuses by which documents of one account are answered. */
async function postedTogether(): Promise<Set<number>> {
  await using core = await startTestCore();
  const posted = Array.from({ length: DOCUMENTS }, (_, at) =>
    core.call('/transaction/seller/invoices/outgoing', { body: invoice({ id: `D-${at}` }) }),
  );
  return new Set((await Promise.all(posted)).map(({ status }) => status));
}

describe.runIf(isOn('PostgreSQL', 'Writes that run side by side'))('a seeded defect is found:', () => {
  it('no write is alone with its account', async () => {
    using _seeded = loseAccountScopes();
    expect(await postedTogether()).toContain(500);
  });

  it('neighbours are read before the lock', async () => {
    const file = 'submit/admit.ts';
    const start = await defectiveGateway(
      {
        file,
        from: 'return ledger.write(scopesOf(request.item), (rows) => admit(rows, request));',
        to: `return readNeighbours(ledger.read, request)
          .then((early) => new Promise((turn) => setTimeout(turn, ${TOGETHER_MS}, early)))
          .then((early) => ledger.write(scopesOf(request.item), (rows) => admit(rows, { ...request, early })));`,
      },
      { file, from: 'readNeighbours(rows, request)', to: '(request.early ?? readNeighbours(rows, request))' },
    );
    let together = 0;
    for (let tries = 0; tries < TRIES_MAX && together === 0; tries++) together = await sentTogether(start);
    expect(together).toBeGreaterThan(0);
  });
});
