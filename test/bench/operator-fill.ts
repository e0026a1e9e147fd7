// Fills both ledgers with what accounts have sent in a year and what stands beside that, and tells what a person may know of an item.
import { insertLink, insertPartner } from '#core/ledger/partners.ts';
import type { Ledger as CoreLedger } from '#core/ledger/schema.ts';
import { insertTurnedAway } from '#core/ledger/turned-away.ts';
import { insertWebhook } from '#core/ledger/webhooks.ts';
import { itemIds, shortId } from '#domain/id.ts';
import { finishItem, insertItem, setHead } from '#gateway/ledger/items.ts';
import { keepParty } from '#gateway/ledger/parties.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { systemRandom } from '#runtime/clock.ts';

export const YEAR_MS = 365 * 86_400_000;
const ACCOUNTS = 200;
const PARTIES = 5_000;
const TOGETHER = 5_000;

const participantOf = (party: number): string => `0088:73${String(party).padStart(11, '0')}`;
const companyOf = (party: number): string => `${String(party).padStart(4, '0')} Åkeri och Trävaror AB`;
export const numberOf = (at: number): string => `F-${String(at).padStart(7, '0')}`;
const fileOf = (at: number): string => `invoice_${String(at * 7).padStart(8, '0')}.xml`;
const integrationIdOf = (at: number): string => `019a${at.toString(16).padStart(8, '0')}-7000-8000-000000000000`;

/** Returns the ids of the items, which the accounts sent in the year up to `untilMs`. */
export async function fillYear(ledger: Ledger, items: number, untilMs: number): Promise<string[]> {
  let now = untilMs - YEAR_MS;
  const newId = itemIds(() => now, systemRandom);
  const ids: string[] = [];
  await ledger.write([], async (rows) => {
    for (let party = 0; party < PARTIES; party++) await keepParty(rows, { participant: participantOf(party), name: companyOf(party) });
  });
  for (let first = 0; first < items; first += TOGETHER) {
    await ledger.write([], async (rows) => {
      for (let at = first; at < Math.min(first + TOGETHER, items); at++) {
        now = untilMs - YEAR_MS + Math.floor((at / items) * YEAR_MS);
        const item = newId();
        ids.push(item);
        const accountRegNo = `account-${at % ACCOUNTS}`;
        const facts = {
          item,
          accountRegNo,
          home: accountRegNo,
          login: 'erp',
          fileName: fileOf(at),
          spoolName: item,
          mode: 'send' as const,
        };
        await insertItem(rows, { ...facts, sha256: item, size: 5_000, receivedAt: now, recovered: false });
        const head = { documentId: numberOf(at), sender: participantOf(at % ACCOUNTS), receiver: participantOf(at % PARTIES) };
        await setHead(rows, { item, accountRegNo }, { family: 'Invoice', ...head });
        const end = { integrationId: integrationIdOf(at), duplicateOf: null, reason: null, endedAt: now };
        await finishItem(rows, item, { state: 'accepted', ...end });
      }
    });
  }
  return ids;
}

/** So many partners, each with a subscription, and documents that were turned away. */
const BESIDE = 1_000;
export const partnerOf = (at: number): string => `partner-${at % BESIDE}`;
export const webhookOf = (at: number): string => `webhook-${at % BESIDE}`;
export const turnedAwayOf = (at: number): string => `envelope-${at % BESIDE}`;
const WRONG = Array.from({ length: 20 }, (_, at) => ({ rule: 'BR-CO-15', severity: 'fatal', message: 'The sum is wrong.', line: at + 1 }));

/** `accountRegNo`: for which they act, and for which the documents came. */
export async function fillBeside(ledger: CoreLedger, accountRegNo: string, document: Uint8Array, nowMs: number): Promise<void> {
  const came = { accountRegNo, sender: participantOf(1), receiver: participantOf(2), family: 'Invoice', document };
  await ledger.write([], async (rows) => {
    for (let at = 0; at < BESIDE; at++) {
      const partnerRegNo = partnerOf(at);
      await insertPartner(rows, { partnerRegNo, name: companyOf(at) }, nowMs);
      await insertLink(rows, partnerRegNo, accountRegNo);
      const webhook = { id: webhookOf(at), url: `https://${partnerRegNo}.example/events`, types: [] };
      await insertWebhook(rows, { scope: 'partner', partnerRegNo }, webhook, nowMs);
      await insertTurnedAway(
        rows,
        { ...came, instanceId: turnedAwayOf(at), documentId: numberOf(at), findings: JSON.stringify(WRONG) },
        nowMs,
      );
    }
  });
}

/** By each thing that a person may know of item `at`: the text to look for. */
export function textsOf(ids: readonly string[]): Readonly<Record<string, (at: number) => string>> {
  return {
    'number, whole': numberOf,
    'number, its start': (at) => numberOf(at).slice(0, -2),
    'a start that all have': () => 'F-',
    'file name': fileOf,
    'participant, without its scheme': (at) => participantOf(at % PARTIES).slice(5),
    'name of a company, its start': (at) => companyOf(at % PARTIES).slice(0, 8),
    integrationId: integrationIdOf,
    'letters of a receipt': (at) => shortId(ids[at] ?? ''),
    'a part, in 30 days': (at) => numberOf(at).slice(3),
    'nothing, in 30 days': () => 'nowhere',
  };
}
