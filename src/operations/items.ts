// Operations on dropped files: finding them, everything of one, taking it back, sending it again.
import { type Static, Type } from 'typebox';
import { isoTime, isoTimes } from '#domain/day.ts';
import { type FoundItem, readHistory, searchItems } from '#gateway/ledger/searches.ts';
import { nameText } from '#gateway/model/file-names.ts';
import { ITEM_STATES } from '#gateway/model/item.ts';
import { cancelItem } from '#gateway/operate/cancel.ts';
import { itemNamed } from '#gateway/operate/operator.ts';
import { bytesOf } from '#gateway/operate/where.ts';
import { Count, Moment, MomentOrNull, msOf, TextOrNull } from './forms.ts';
import { gatewayOf } from './installation.ts';
import { operation } from './operation.ts';
import { withOperator } from './operator.ts';

const LISTED_MAX = 100_000;

const State = Type.Enum(ITEM_STATES);

export const ITEM = {
  item: Type.String(),
  accountRegNo: Type.String(),
  home: Type.String(),
  login: TextOrNull,
  fileName: Type.String(),
  mode: Type.String(),
  sha256: Type.String(),
  size: Count,
  begunAt: MomentOrNull,
  receivedAt: Moment,
  state: State,
  endedAt: MomentOrNull,
  nextAttemptAt: MomentOrNull,
  family: TextOrNull,
  documentId: TextOrNull,
  sender: TextOrNull,
  receiver: TextOrNull,
  integrationId: TextOrNull,
  duplicateOf: TextOrNull,
  resends: TextOrNull,
  reason: TextOrNull,
  network: TextOrNull,
} as const;

export const Item = Type.Object(ITEM);

export function itemFacts({
  spoolName: _,
  begunAt,
  receivedAt,
  endedAt,
  nextAttemptAt,
  fileName,
  ...facts
}: FoundItem): Static<typeof Item> {
  return {
    ...facts,
    fileName: nameText(fileName),
    ...isoTimes({ begunAt, receivedAt, endedAt }),
    nextAttemptAt: facts.state === 'pending' ? isoTime(nextAttemptAt) : null,
  };
}

export const items = operation(
  Type.Object({
    states: Type.Optional(Type.Array(State, { minItems: 1 })),
    accountRegNo: Type.Optional(Type.String()),
    documentId: Type.Optional(Type.String()),
    fileName: Type.Optional(Type.String()),
    since: Type.Optional(Moment),
    /** Accepted, refused, cancelled or held since then, whenever it was received. */
    endedSince: Type.Optional(Moment),
    /** An item: only those that came before it. */
    before: Type.Optional(Type.String()),
    limit: Type.Integer({ minimum: 1, maximum: LISTED_MAX }),
  }),
  Type.Array(Item),
  async (on, { since, endedSince, ...search }) => {
    const found = await searchItems(gatewayOf(on).ledger.read, {
      ...search,
      ...(since !== undefined && { sinceMs: msOf(since) }),
      ...(endedSince !== undefined && { endedSinceMs: msOf(endedSince) }),
    });
    return found.map(itemFacts);
  },
);

const Attempt = Type.Object({ number: Count, at: Moment, endedAt: MomentOrNull, outcome: Type.String() });
const PublishedFile = Type.Object({ folder: Type.String(), name: Type.String(), stage: Type.String(), writtenAt: MomentOrNull });

/** What a login did with one of the files: downloaded it to the end, removed it, gave it another name. */
const Fetched = Type.Object({
  action: Type.String(),
  name: Type.String(),
  login: Type.String(),
  /** `SHA256:…`; null where the login came by its password alone. */
  key: TextOrNull,
  address: Type.String(),
  bytes: Count,
  sha256: TextOrNull,
  firstAt: Moment,
  lastAt: Moment,
  times: Count,
});

export const item = operation(
  Type.Object({ item: Type.String() }),
  Type.Object({
    ...ITEM,
    attempts: Type.Array(Attempt),
    files: Type.Array(PublishedFile),
    fetched: Type.Array(Fetched),
    resentAs: Type.Array(Type.String()),
    bytes: TextOrNull,
  }),
  async (on, { item: id }) => {
    const { ledger, data } = gatewayOf(on);
    const found = await itemNamed(ledger, id);
    const history = await readHistory(ledger.read, found);
    return {
      ...itemFacts(found),
      attempts: history.attempts.map(({ number, at, endedAt, outcome }) => ({
        number,
        ...isoTimes({ at, endedAt }),
        outcome: outcome ?? 'unknown',
      })),
      files: history.published.map(({ publication: _, home: __, writtenAt, ...file }) => ({ ...file, writtenAt: isoTime(writtenAt) })),
      fetched: history.fetched.map(({ publication: _, firstAt, lastAt, ...fetch }) => ({ ...fetch, ...isoTimes({ firstAt, lastAt }) })),
      resentAs: [...history.resentAs],
      bytes: bytesOf(data, found, history),
    };
  },
);

export const cancel = operation(
  Type.Object({ item: Type.String(), tried: Type.Optional(Type.Boolean()) }),
  Type.Object({ item: Type.String(), fileName: Type.String() }),
  async (on, { item: id, tried = false }) => {
    const cancelled = await withOperator(on, (operator) => cancelItem(operator, id, tried));
    return { item: cancelled.item, fileName: nameText(cancelled.fileName) };
  },
);
