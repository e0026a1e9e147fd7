// Operations on received documents: what waits to be fetched, putting one into the outbox again, having it handed out to others again.
import { Type } from 'typebox';
import { isoTime } from '#domain/day.ts';
import { readAccounts } from '#gateway/ledger/accounts.ts';
import { readQuarantined } from '#gateway/ledger/quarantine.ts';
import { listOutbox } from '#gateway/publish/outbox.ts';
import { askAgain, askUnread } from '#gateway/receive/redeliver.ts';
import { Count, Moment } from './forms.ts';
import { gatewayOf } from './installation.ts';
import { operation } from './operation.ts';

/** A home whose outbox holds documents. */
const Filled = Type.Object({ home: Type.String(), documents: Count, since: Moment });
/** A document that could not be put into an outbox. */
const Stuck = Type.Object({
  accountRegNo: Type.String(),
  family: Type.String(),
  integrationId: Type.String(),
  stuckSince: Moment,
  tries: Count,
  reason: Type.String(),
});

export const outbox = operation(
  Type.Object({ accountRegNo: Type.Optional(Type.String()) }),
  Type.Array(Type.Union([Filled, Stuck])),
  async (on, { accountRegNo: asked }) => {
    const { data, ledger } = gatewayOf(on);
    const accounts = (await readAccounts(ledger.read)).filter(({ accountRegNo }) => asked === undefined || asked === accountRegNo);
    const homes = [...new Set(accounts.map(({ home }) => home))];
    const filled = await Promise.all(homes.map((home) => filledIn(data, home)));
    const stuck = await readQuarantined(ledger.read, asked);
    return [...filled.flat(), ...stuck.map(({ since, triedAt: _, ...facts }) => ({ ...facts, stuckSince: isoTime(since) }))];
  },
);

async function filledIn(data: string, home: string) {
  const documents = await listOutbox(data, home);
  const [oldest] = documents;
  return oldest ? [{ home, documents: documents.length, since: isoTime(oldest.sinceMs) }] : [];
}

/** `isRunning`: the daemon does it in a moment, and tells its log; otherwise it does when it has started. */
const Ordered = Type.Object({
  accountRegNo: Type.String(),
  family: Type.String(),
  integrationId: Type.String(),
  isRunning: Type.Boolean(),
});

export const redeliver = operation(Type.Object({ integrationId: Type.String() }), Ordered, async (on, { integrationId }) => {
  const { ledger, clock } = gatewayOf(on);
  return { ...(await askAgain(ledger, integrationId, clock.now())), isRunning: on.running !== null };
});

export const markUnread = operation(Type.Object({ integrationId: Type.String() }), Ordered, async (on, { integrationId }) => ({
  ...(await askUnread(gatewayOf(on).ledger, integrationId)),
  isRunning: on.running !== null,
}));
