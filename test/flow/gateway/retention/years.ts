// Years of a gateway with its core, on a clock that is moved by hand: what all who are there do in each term, and what stands in ledgers and folders.
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { selectMessagesAfter } from '#core/ledger/account-data.ts';
import { insertEnrichment } from '#core/ledger/enrichments.ts';
import { insertReception, insertResponse } from '#core/ledger/receptions.ts';
import { coreSchema } from '#core/ledger/schema.ts';
import { endTransmissions, insertTransmission } from '#core/ledger/transmissions.ts';
import { insertTurnedAway } from '#core/ledger/turned-away.ts';
import { insertEvent } from '#core/ledger/webhook-events.ts';
import { insertWebhook } from '#core/ledger/webhooks.ts';
import { addAccount, type CoreAdministration } from '#core/operate/administration.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { keepFailedUpload } from '#gateway/ledger/failed-uploads.ts';
import { putOrderAnswer } from '#gateway/ledger/order-answers.ts';
import { gatewaySchema } from '#gateway/ledger/schema.ts';
import type { ReceivingChanges } from '#gateway/model/receiving.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { dropped, openLedgers, type Place, putIn, settle, startLife } from '../../../crash/long-life.ts';
import { wrong } from '../../../crash/steps.ts';
import { calm } from '../../../support/calm.ts';
import { request } from '../../../support/core.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import type { Survivor } from '../../../support/faults/survivor.ts';
import { inSession } from '../../../support/faults/world.ts';
import { called } from '../../../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../../../support/sftp-server.ts';
import { until } from '../../../support/until.ts';
import { dumpTable } from '../../../support/world/ledger-rows.ts';

export const DAY_MS = 86_400_000;
export const TERMS_A_YEAR = 4;
export const TERM_MS = 91 * DAY_MS;
const STEP_MS = 13 * DAY_MS;
export const KEPT_MS = 400 * DAY_MS;
export const ARCHIVED_MS = 800 * DAY_MS;
const KEEPING = {
  settings: { keepItems: KEPT_MS, keepAccepted: DAY_MS, keepReceipts: DAY_MS, keepFailedUploads: 30 * DAY_MS },
  keepMessages: KEPT_MS,
} as const;

/** With a home, and an address: one that fetches nearly all, one that fetches nothing, so that it goes after a day, and one that leaves. */
const HOMES: Readonly<Record<string, { readonly address: string; readonly rules: ReceivingChanges }>> = {
  seller: { address: SELLER, rules: { archive: ARCHIVED_MS } },
  shop: { address: '0007:5567321707', rules: { keepOutbox: DAY_MS } },
  leaver: { address: '0007:5560360793', rules: { archive: ARCHIVED_MS, keepOutbox: DAY_MS } },
};
/** Its key is not the core's: what it drops waits. */
export const STUCK = 'stuck';
const LOGIN = 'seller';
const HOOK = '00000000-0000-4000-8000-000000000001';

export function addressOf(account: string): string {
  return HOMES[account]?.address ?? BUYER;
}

export interface On {
  readonly core: CoreAdministration;
  readonly gateway: Administration;
}

/** What a command beside it would do. */
export async function administer<Result>(place: Place, work: (on: On) => Promise<Result>): Promise<Result> {
  const { data, clock } = place;
  const [core, ledger] = await openLedgers(place);
  const seal = await openSeal(sealPath(data), systemRandom);
  try {
    return await work({
      core: { ledger: core, environment: 'test', clock, random: systemRandom },
      gateway: { data, ledger, seal, clock },
    });
  } finally {
    for (const each of [core, ledger]) await each.close();
  }
}

export type Keys = Record<string, string>;

/** With a home; or back again after it had left. Returns its key. */
export async function admit(on: On, account: string): Promise<string> {
  const given = HOMES[account];
  const { apiKey } = await addAccount(on.core, { accountRegNo: account, name: account, participants: [addressOf(account)] });
  if (given) await putAccount(on.gateway, account, apiKey, given.rules);
  return apiKey;
}

export async function people(place: Place): Promise<Keys> {
  return administer(place, async (on) => {
    const keys: Keys = {};
    for (const account of [...Object.keys(HOMES), 'buyer']) keys[account] = await admit(on, account);
    await putAccount(on.gateway, STUCK, 'a key that nobody has given');
    await addLogin(on.gateway, { login: LOGIN, passwordHash: PASSWORD_HASH, publicKeys: [] });
    await addLoginHome(on.gateway, LOGIN, 'seller', '');
    // Nobody hears: what is owed to it is given up after a while.
    const hook = { id: HOOK, url: 'http://127.0.0.1:9/', types: [] };
    await on.core.ledger.write([], (rows) => insertWebhook(rows, { scope: 'account', accountRegNo: 'buyer' }, hook, place.clock.now()));
    return keys;
  });
}

export function live(place: Place, keys: Keys): Promise<Survivor> {
  return startLife(place, { apiKey: (account) => keys[account] ?? '', ...KEEPING });
}

/** What is to be left as it is for ever. */
export interface Left {
  /** Ids of messages that the buyer never reads. */
  readonly unread: Set<string>;
  /** Files of the seller's outbox that nobody fetches. */
  readonly unfetched: Set<string>;
  /** Messages that are still owed to the network. */
  readonly owed: Set<string>;
}

export interface Living {
  readonly place: Place;
  readonly keys: Keys;
  readonly life: Survivor;
  readonly left: Left;
}

const INCOMING = '/transaction/buyer/invoices/incoming';

/** Of the buyer, the newest first, as many as a page has. */
export async function unreadOf({ life, keys }: Pick<Living, 'life' | 'keys'>): Promise<string[]> {
  const { status, json } = await request(`${life.coreUrl}${INCOMING}?limit=1000`, { key: keys.buyer ?? '' });
  return status === 204 ? [] : json.data.map(({ integrationId }: { integrationId: string }) => integrationId);
}

/** Everybody sends and receives, fetches and reads. In the first term some of it is left. */
export async function liveTerm(living: Living, term: number, senders: readonly string[]): Promise<void> {
  const { place, keys, life, left } = living;
  const { clock } = place;
  const soon = (what: string, condition: () => boolean): Promise<unknown> =>
    until(what, async () => {
      clock.advance(1_000);
      await calm();
      return condition();
    });
  for (const sender of senders) await dropped(life, clock, `${sender}-${term}.xml`, sent(sender, term), 'delivered', sender);
  await dropped(life, clock, `bad-${term}.xml`, wrong(`BAD-${term}`), 'refused');
  if (term === 0) await putIn(life, STUCK, 'waits.xml', Buffer.from(invoice({ id: 'WAITS' })));
  for (const account of ['shop', ...senders]) {
    const id = `to-${account}-${term}`;
    const body = invoice({ id, sender: BUYER, receiver: addressOf(account) });
    await request(`${life.coreUrl}/transaction/buyer/invoices/outgoing`, { key: keys.buyer ?? '', body, idempotencyKey: randomUUID() });
    await soon(`${id} to be received`, () => life.files(account, 'outbox').some((name) => name.includes(id)));
  }
  if (term === 0) for (const name of life.files('seller', 'outbox')) left.unfetched.add(name);
  await fetchOutbox(life, left.unfetched);
  const unread = await unreadOf(living);
  if (term === 0) for (const id of unread) left.unread.add(id);
  for (const id of unread.filter((each) => !left.unread.has(each))) {
    await request(`${life.coreUrl}${INCOMING}/readinvoices?integrationId=${id}`, { key: keys.buyer ?? '' });
  }
  await administer(place, async (on) => {
    await brought(on, term);
    await handedOver(on, term, left.owed);
  });
}

/** What an account sends in a term, the same each time. */
export function sent(account: string, term: number): Buffer {
  return Buffer.from(invoice({ id: `${account}-${term}`, sender: addressOf(account), receiver: BUYER }));
}

/** Until the next term, a quarter of a year. */
export async function pass({ clock }: Pick<Place, 'clock'>): Promise<void> {
  for (let leftMs = TERM_MS; leftMs > 0; leftMs -= STEP_MS) {
    clock.advance(Math.min(leftMs, STEP_MS));
    await calm();
  }
  await settle(clock);
}

/** A client downloads what is there, and removes it. */
async function fetchOutbox(life: Survivor, unfetched: ReadonlySet<string>): Promise<void> {
  await inSession(life, LOGIN, async (sftp) => {
    for (const name of life.files('seller', 'outbox').filter((each) => !unfetched.has(each))) {
      await called<Buffer>((done) => sftp.readFile(`/outbox/${name}`, done));
      await called((done) => sftp.unlink(`/outbox/${name}`, done));
    }
  });
}

/** What else comes from without: uploads that fail, answers to orders, what the network hands over, what is asked of enrichment, and events. */
async function brought({ core, gateway }: On, term: number): Promise<void> {
  const nowMs = core.clock.now();
  const failed = { home: 'seller', login: LOGIN, address: '192.0.2.1', size: 10, reason: 'cut off', atMs: nowMs, times: 1 };
  await gateway.ledger.write([], async (rows) => {
    for (const part of ['a', 'b']) await keepFailedUpload(rows, { ...failed, fileName: `${term}-${part}.xml` });
    const answer = { answer: 'accept', number: `A-${term}`, item: `${term}`, givenAt: nowMs } as const;
    await putOrderAnswer(rows, { accountRegNo: 'seller', sha256: `${term}` }, answer);
  });
  await core.ledger.write([], async (rows) => {
    const away = { accountRegNo: 'seller', sender: BUYER, receiver: SELLER, family: 'Invoice', findings: '[]', documentId: `away-${term}` };
    await insertTurnedAway(rows, { ...away, instanceId: randomUUID(), document: Buffer.from('<Invoice/>') }, nowMs);
    const job = { accountRegNo: 'seller', types: ['capture'], content: Buffer.from('%PDF'), fileName: 'bill.pdf', pollingId: randomUUID() };
    await insertEnrichment(rows, job, nowMs);
    await insertEvent(rows, { eventId: randomUUID(), webhookId: HOOK, type: 'new_document', body: '{}' }, nowMs);
    await insertReception(rows, randomUUID(), BUYER, nowMs);
  });
}

/** What the seller has sent last goes into the network, and is responded to there; but for the first one, which stays on its way. */
async function handedOver({ core }: On, term: number, owed: Set<string>): Promise<void> {
  const nowMs = core.clock.now();
  const list = { accountRegNo: 'seller', direction: 'outgoing', family: 'Invoice' } as const;
  await core.ledger.write(['account seller'], async (rows) => {
    const { integration_id: integrationId, sequence } = (await selectMessagesAfter(rows, list, 0)).at(-1) ?? {};
    if (integrationId === undefined || sequence === undefined) return;
    await insertTransmission(rows, { integrationId, instanceIdOf: () => randomUUID(), found: true }, nowMs);
    const response = {
      instanceId: randomUUID(),
      kind: 'MLS',
      code: 'AP',
      reason: null,
      findings: [],
      document: Buffer.from('<Response/>'),
    };
    await insertResponse(rows, { ...response, sequence }, nowMs);
    await insertResponse(rows, { ...response, instanceId: randomUUID(), sequence: null }, nowMs);
    if (term === 0) owed.add(integrationId);
    else await endTransmissions(rows, sequence, null);
  });
}

export type Row = Readonly<Record<string, unknown>>;

/** All rows of both ledgers, by `LEDGER.TABLE`. */
export async function tablesOf(place: Place): Promise<ReadonlyMap<string, readonly Row[]>> {
  return administer(place, async ({ core, gateway }) => {
    const found = new Map<string, readonly Row[]>();
    for (const table of Object.keys(gatewaySchema.tables))
      found.set(`gateway.${table}`, await dumpTable({ gateway: gateway.ledger }, table));
    for (const table of Object.keys(coreSchema.tables)) found.set(`core.${table}`, await dumpTable({ core: core.ledger }, table));
    return found;
  });
}

/** How many files and folders are below each folder of the data folder; and each file in it, as 1. */
export function foldersOf({ data }: Pick<Place, 'data'>): ReadonlyMap<string, number> {
  const entries = readdirSync(data, { withFileTypes: true });
  return new Map(
    entries.map((entry) => [entry.name, entry.isDirectory() ? readdirSync(join(data, entry.name), { recursive: true }).length : 1]),
  );
}
