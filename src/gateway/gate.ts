// May it go? One commit decides: the lease, the order per counterparty and document, pauses, duplicates; and where it may go, it
// writes the attempt before the first byte leaves (submit-and-poll.md, steps 3 and 4).
import type { NetworkStage } from '#domain/receipt.ts';
import { ORDER_HOLD_MS } from '#domain/retry.ts';
import { type Attempts, insertAttempt, readAttempts } from './ledger/attempts.ts';
import { readDeliveryStatus } from './ledger/deliveries.ts';
import {
  type AcceptedVersion,
  type Item,
  type ItemHead,
  leaseItem,
  postponeItem,
  readEarlier,
  readItem,
  readLatestAccepted,
  setHead,
  WAITS_FOR_ITS_TURN,
} from './ledger/items.ts';
import { readPause } from './ledger/pauses.ts';
import type { Rows } from './ledger/schema.ts';

export type Passage =
  /** The attempt is written: go. */
  | { readonly kind: 'go'; readonly before: Attempts; readonly number: number; readonly overwrites: boolean }
  /** It waits for an earlier one, or for the end of a pause. */
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** The very same document was accepted before. */
  | { readonly kind: 'duplicate'; readonly first: AcceptedVersion }
  /** It sends again what a later version has replaced since. */
  | { readonly kind: 'superseded'; readonly by: AcceptedVersion }
  /** It has ended, or somebody else works on it. */
  | { readonly kind: 'gone' };

export interface GateRequest {
  readonly item: Item;
  readonly head: ItemHead;
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  /** Items of this process whose answer has come, although their row still says pending: they hold back no other document. */
  readonly answered: ReadonlySet<string>;
}

/** Statuses of a document that will not arrive. */
const FINAL_NOES: ReadonlySet<string> = new Set<NetworkStage>(['rejected', 'failed']);

/** Runs in one transaction. */
export async function passGate(rows: Rows, request: GateRequest): Promise<Passage> {
  const { item, head, owner, now, leaseUntil, answered } = request;
  if (!(await leaseItem(rows, item.item, owner, now, leaseUntil))) return { kind: 'gone' };
  if (!item.head) await setHead(rows, item, head);

  const untilMs = await heldBack(rows, request);
  if (untilMs > now) {
    await postponeItem(rows, item.item, untilMs, WAITS_FOR_ITS_TURN);
    return { kind: 'wait', untilMs };
  }
  const first = await readLatestAccepted(rows, item.accountRegNo, head);
  const same = first?.sha256 === item.sha256;
  // After a final no of the network the same number may always be sent again, and the same content too.
  const saidNo = first !== undefined && FINAL_NOES.has(await readDeliveryStatus(rows, first.item));
  if (item.mode === 'send' && first && same && !saidNo) return { kind: 'duplicate', first };
  if (item.resends !== null && first && !same && (await readItem(rows, item.resends))?.state === 'accepted') {
    return { kind: 'superseded', by: first };
  }
  const overwrites = item.mode === 'overwrite' || saidNo || (item.mode === 'resend' && same);
  const before = await readAttempts(rows, item.item);
  const number = before.outcomes.length + 1;
  await insertAttempt(rows, item.item, number, now);
  return { kind: 'go', before, number, overwrites };

  async function heldBack(on: Rows, { item: held }: GateRequest): Promise<number> {
    const pause = await readPause(on, held.accountRegNo, head.family);
    if (pause > now) return pause;
    const { inLane, ofDocument } = await readEarlier(on, held, head, now - ORDER_HOLD_MS);
    return ofDocument.length > 0 || inLane.some((each) => !answered.has(each)) ? now + ORDER_HOLD_MS : 0;
  }
}
