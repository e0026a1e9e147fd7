// Writes that decide by rows which another one is about to change: SQLite has one writer, PostgreSQL runs them side by side.
import { expect, it } from 'vitest';
import { startTestCore } from '../support/core.ts';
import { invoice } from '../support/documents.ts';
import { created } from '../support/scripted-service.ts';
import { scripted } from '../support/world/services.ts';
import { startWorld } from '../support/world/world.ts';

const DOCUMENTS = 24;
const ACCOUNT = 'acme-ab';
const RECEIVERS = ['0088:7350000000017', '0088:7350000000024'];

it('of two files of one document that come together, for receivers of their own, one goes at a time', async () => {
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
      await new Promise((turn) => setTimeout(turn, 20));
      open.delete(id);
      return created();
    }),
  );
  for (let at = 0; at < DOCUMENTS; at++) {
    const id = `D-${at}`;
    await Promise.all(RECEIVERS.map((receiver, file) => world.drop(ACCOUNT, `${id}-${file}.xml`, invoice({ id, receiver }))));
  }
  await world.inTime('all to be sent', () => sent >= 2 * DOCUMENTS);
  expect(together).toBe(0);
});

it('documents of one account that are posted together are stored one behind the other', async () => {
  await using core = await startTestCore();
  const posted = Array.from({ length: DOCUMENTS }, (_, at) =>
    core.call('/transaction/seller/invoices/outgoing', { body: invoice({ id: `D-${at}` }) }),
  );
  const statuses = (await Promise.all(posted)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
});
