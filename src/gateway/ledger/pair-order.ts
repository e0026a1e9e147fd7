// Turns in the ledger: items that must not pass each other, and which waits for which.
//
// An item is *under way* while an attempt of it is open: the service may have its document. Of two items of one document, whichever came
// first, the one that is not under way waits for the one that is. Items that have not been tried wait for earlier ones only: of the same
// document and receiver, and for a while of the same sender and receiver. An item that is under way waits only for an earlier one
// that is, too. So those under way go first and each group in the order of ids, and no items wait in a circle.
import { firstIdAt } from '#domain/id.ts';
import { ORDER_HOLD_MS } from '#domain/retry.ts';
import { pipelined } from '#engines/pipelined.ts';
import { prepared } from '#engines/prepared.ts';
import type { Homes } from '#gateway/model/homes.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';
import { DOUBTFUL } from './attempts.ts';
import { among } from './homes.ts';
import type { Rows } from './schema.ts';

export interface Blocker {
  readonly item: string;
  /** When it stops to hold others back, whatever becomes of it; otherwise only its end counts. */
  readonly until: number | null;
}

export interface TurnRequest {
  readonly item: Pick<Item, 'item' | 'accountRegNo'>;
  readonly head: ItemHead;
  readonly now: number;
  /** The item is under way itself. */
  readonly underWay: boolean;
  /** Items whose answer has come, although their row still says pending: they hold back no other document. */
  readonly answered: ReadonlySet<string>;
}

/** What stands beside an item that asks for its turn. */
interface Neighbours {
  /** Others of its document are pending. */
  readonly hasOthers: boolean;
  /** The nearest ones before it of its sender and receiver. */
  readonly lane: Lane;
}

export async function readNeighbours(rows: Rows, request: Pick<TurnRequest, 'item' | 'head' | 'now'>): Promise<Neighbours> {
  const { item, head } = request;
  const { family, documentId } = head;
  const [others, lane] = await pipelined(
    othersOfDocument(rows, { item: item.item, accountRegNo: item.accountRegNo, family, documentId }),
    readLane(rows, request, item.item),
  );
  return { hasOthers: others.length > 0, lane };
}

/** The item that this one has to wait for. */
export async function readBlocker(rows: Rows, request: TurnRequest, { hasOthers, lane }: Neighbours): Promise<Blocker | undefined> {
  const other = hasOthers ? await inDocument(rows, request) : undefined;
  return other ?? (request.underWay ? undefined : inLane(rows, request, lane));
}

const othersOfDocument = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('items')
    .select('item')
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('family', '=', slot<string>('family'))
    .where('document_id', '=', slot<string>('documentId'))
    .where('state', '=', 'pending')
    .where('item', '!=', slot<string>('item'))
    .limit(1),
);

async function inDocument(rows: Rows, { item, head, underWay }: TurnRequest): Promise<Blocker | undefined> {
  const others = rows
    .selectFrom('items')
    .select('item')
    .where('account_reg_no', '=', item.accountRegNo)
    .where('family', '=', head.family)
    .where('document_id', '=', head.documentId)
    .where('state', '=', 'pending');
  const tried = others.where((e) =>
    e.exists(
      e
        .selectFrom('attempts')
        .select('attempts.item')
        .whereRef('attempts.item', '=', 'items.item')
        .where((of) => of.or([of('attempts.outcome', 'is', null), of('attempts.outcome', 'in', [...DOUBTFUL])])),
    ),
  );
  const other = underWay ? tried.where('item', '<', item.item) : tried.where('item', '!=', item.item);
  const found = await other.orderBy('item', 'desc').limit(1).executeTakeFirst();
  if (found || underWay) return found && { item: found.item, until: null };
  const earlier = others.where('receiver', '=', head.receiver).where('item', '<', item.item);
  const before = await earlier.orderBy('item', 'desc').limit(1).executeTakeFirst();
  return before && { item: before.item, until: null };
}

const PAGE = 8;

const pageOfLane = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('items')
    .select(['item', 'received_at'])
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('state', '=', 'pending')
    // The index has only these.
    .where('ended_at', 'is', null)
    .where('sender', '=', slot<string>('sender'))
    .where('receiver', '=', slot<string>('receiver'))
    .where('item', '>', slot<string>('sinceItem'))
    .where('item', '<', slot<string>('before'))
    .where('received_at', '>', slot<number>('since'))
    // Received at a time that lies ahead now: the clock was put back, and the order is not known any more.
    .where('received_at', '<', slot<number>('until'))
    .orderBy('item', 'desc')
    .limit(PAGE),
);

type Lane = Awaited<ReturnType<typeof pageOfLane>>;

function readLane(rows: Rows, { item, head, now }: Pick<TurnRequest, 'item' | 'head' | 'now'>, before: string): Promise<Lane> {
  const since = now - ORDER_HOLD_MS;
  const times = { since, sinceItem: firstIdAt(since), until: now + ORDER_HOLD_MS };
  return pageOfLane(rows, { accountRegNo: item.accountRegNo, sender: head.sender, receiver: head.receiver, before, ...times });
}

/** The nearest item before it: by waiting for that one it waits for all before it, and one end releases it. */
async function inLane(rows: Rows, request: TurnRequest, nearest: Lane): Promise<Blocker | undefined> {
  for (let page = nearest; ; ) {
    const found = page.find((row) => !request.answered.has(row.item));
    const last = page.at(-1);
    if (found) return { item: found.item, until: found.received_at + ORDER_HOLD_MS };
    if (!last || page.length < PAGE) return undefined;
    page = await readLane(rows, request, last.item);
  }
}

const waitingFor = prepared((rows: Rows, slot) =>
  rows.selectFrom('items').select('item').where('waits_for', '=', slot<string>('item')).where('state', '=', 'pending'),
);

/** Items that wait for this one. */
export async function readWaiting(rows: Rows, item: string): Promise<string[]> {
  const found = await waitingFor(rows, { item });
  return found.map((row) => row.item);
}

/** Items that wait for one that has ended: a ring was lost, or a command ended it. */
export async function readForgotten(rows: Rows, homes: Homes, limit: number): Promise<string[]> {
  const found = await rows
    .selectFrom('items')
    .select('item')
    .where('waits_for', 'is not', null)
    .where('state', '=', 'pending')
    .where(among(homes))
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('items as other')
            .select('other.item')
            .whereRef('other.item', '=', 'items.waits_for')
            .where('other.state', '=', 'pending'),
        ),
      ),
    )
    .limit(limit)
    .execute();
  return found.map((row) => row.item);
}

/** What waits for an item asks again at once. */
export async function releaseTurns(rows: Rows, item: string): Promise<void> {
  await rows
    .updateTable('items')
    .set({ next_attempt_at: 0, waits_for: null })
    .where('waits_for', '=', item)
    .where('state', '=', 'pending')
    .execute();
}

/** Earlier items of the same document that wait for another receiver to be found, and of which the service has nothing. */
export async function readLookedFor(rows: Rows, { item, accountRegNo }: TurnRequest['item'], head: ItemHead): Promise<string[]> {
  const { family, documentId, receiver } = head;
  const tried = rows.selectFrom('attempts').select('item');
  const found = await rows
    .selectFrom('items')
    .select('item')
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .where('document_id', '=', documentId)
    .where('receiver', '!=', receiver)
    .where('state', '=', 'pending')
    .where('item', '<', item)
    .where('item', 'in', tried.where('outcome', '=', 'no-receiver'))
    .where(
      'item',
      'not in',
      tried.where((e) => e.or([e('outcome', 'is', null), e('outcome', 'in', [...DOUBTFUL])])),
    )
    .execute();
  return found.map((row) => row.item);
}
