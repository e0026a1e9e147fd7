// Admission: one commit decides whether an item may go: the lease, the order per counterparty and document, pauses, duplicates; and where it may go, it
// writes the attempt before the first byte leaves (submit-and-poll.md, steps 3 and 4).
import { familyNamed } from '#domain/family.ts';
import type { NetworkStage } from '#domain/receipt.ts';
import { ORDER_HOLD_MS } from '#domain/retry.ts';
import { pipelined } from '#engines/pipelined.ts';
import { readLatestAccepted, wasAccepted } from '#gateway/ledger/accepted-versions.ts';
import { type Attempts, insertAttempt, readAttempts } from '#gateway/ledger/attempts.ts';
import { PAUSED, readPause } from '#gateway/ledger/circuit-breaker.ts';
import { postponeItem } from '#gateway/ledger/item-waits.ts';
import { leaseItem, readItem } from '#gateway/ledger/items.ts';
import { readBlocker, readLookedFor, readNeighbours, type TurnRequest } from '#gateway/ledger/pair-order.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { scopesOf } from '#gateway/ledger/scopes.ts';
import type { AcceptedVersion, Item } from '#gateway/model/item.ts';

export interface Go {
  readonly kind: 'go';
  readonly before: Attempts;
  readonly number: number;
  readonly overwrites: boolean;
  /** The service may know its content under a key: with the same key it would only repeat what became of that request. */
  readonly needsOwnKey: boolean;
  /** A try of it that is open may have been made under another key, before the network said no. */
  readonly looks: boolean;
  /** The service has this very content, and is to send it once more. */
  readonly repeats: boolean;
  /** Earlier items of the document, where it has one receiver, that wait for another one to be found. */
  readonly lookedFor: readonly string[];
}

export type Admission =
  /** The attempt is written: go. */
  | Go
  /** It waits for another one, or for the end of a pause; `whole`: of everything of its account. */
  | { readonly kind: 'wait'; readonly until: number; readonly whole: boolean }
  /** The very same document was accepted before. */
  | { readonly kind: 'duplicate'; readonly first: AcceptedVersion }
  /** It sends again what a later version has replaced since. */
  | { readonly kind: 'superseded'; readonly by: AcceptedVersion }
  /** It has ended, or another process has leased it. */
  | { readonly kind: 'gone' };

interface AdmissionRequest extends Pick<TurnRequest, 'head' | 'now' | 'answered'> {
  readonly item: Item;
  readonly owner: string;
  readonly leaseUntil: number;
}

/** Statuses of a document that will not arrive. */
export const FINAL_NOES: ReadonlySet<string> = new Set<NetworkStage>(['rejected', 'failed']);

/** Decides in one commit of its own. */
export function requestAdmission(ledger: Ledger, request: AdmissionRequest): Promise<Admission> {
  return ledger.write(scopesOf(request.item), (rows) => admit(rows, request));
}

export async function admit(rows: Rows, request: AdmissionRequest): Promise<Admission> {
  const { item, head, owner, now, leaseUntil, answered } = request;
  const [isLeased, before, pause, neighbours, first] = await pipelined(
    leaseItem(rows, item, head, { owner, now, until: leaseUntil }),
    readAttempts(rows, item.item),
    readPause(rows, item.accountRegNo, head.family, now),
    readNeighbours(rows, request),
    readLatestAccepted(rows, item.accountRegNo, head),
  );
  if (!isLeased) return { kind: 'gone' };
  if (pause) {
    await postponeItem(rows, item.item, { now, until: pause.until, reason: PAUSED });
    return { kind: 'wait', until: pause.until, whole: pause.whole };
  }
  const blocker = await readBlocker(rows, { item, head, now, underWay: before.isOpen, answered }, neighbours);
  if (blocker) {
    const until = Math.min(blocker.until ?? Number.POSITIVE_INFINITY, now + ORDER_HOLD_MS);
    await postponeItem(rows, item.item, { now, until, reason: 'waits for its turn', waitsFor: blocker.item });
    return { kind: 'wait', until, whole: false };
  }
  const same = first?.sha256 === item.sha256;
  // After a final no of the network the same number may always be sent again, and the same content too.
  const deliveryFailed = first !== undefined && FINAL_NOES.has(first.status);
  if (item.mode === 'send' && first && same && !deliveryFailed) return { kind: 'duplicate', first };
  if (item.resends !== null && first && !same && (await readItem(rows, item.resends))?.state === 'accepted') {
    return { kind: 'superseded', by: first };
  }
  // Another item has sent it since, and the network did not refuse that one: there is nothing to repeat.
  if (item.resends !== null && first && same && first.item !== item.resends && !deliveryFailed) return { kind: 'duplicate', first };
  const overwrites = item.mode === 'overwrite' || deliveryFailed || (item.mode === 'resend' && same);
  const restoresEarlierVersion = first !== undefined && !same && (await wasAccepted(rows, item, head));
  const needsOwnKey = overwrites || restoresEarlierVersion || item.mode === 'resend';
  await insertAttempt(rows, item.item, before.next, now);
  const looks = deliveryFailed && !same && before.isOpen;
  const hasOneReceiver = !familyNamed(head.family).manyReceivers;
  const lookedFor = hasOneReceiver && neighbours.hasOthers ? await readLookedFor(rows, item, head) : [];
  return { kind: 'go', before, number: before.next, overwrites, needsOwnKey, looks, repeats: overwrites && same, lookedFor };
}
