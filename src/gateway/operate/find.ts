// Finds documents by what a person knows of them, dropped, received and failed ones together, the newest first.
import { idMadeAt } from '#domain/id.ts';
import type { KnownFailedUpload } from '#gateway/ledger/failed-uploads.ts';
import {
  type FoundDocument,
  findDocumentsFrom,
  findDocumentsWith,
  findFailedUploads,
  findItemsFrom,
  findItemsWith,
  type Words,
} from '#gateway/ledger/find.ts';
import { readParticipantsLike } from '#gateway/ledger/parties.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import type { FoundItem, Sought } from '#gateway/ledger/searches.ts';
import { type FindState, ITEM_STATES, type ItemState } from '#gateway/model/item.ts';
import type { Administration } from './administration.ts';

interface Wish extends Omit<Sought, 'states' | 'before'> {
  readonly text: string;
  readonly states?: readonly FindState[];
  /** Only what stands behind this place. */
  readonly behind?: HitPosition;
  /** Participants of companies whose registered names begin with the text, or have it in them. */
  readonly registered: (how: How) => Promise<readonly string[]>;
}

type How = 'start' | 'part';

export type Hit =
  | { readonly kind: 'dropped'; readonly atMs: number; readonly item: FoundItem }
  | { readonly kind: 'received'; readonly atMs: number; readonly document: FoundDocument }
  | { readonly kind: 'failed'; readonly atMs: number; readonly upload: KnownFailedUpload };

/** In the order in which they stand within a millisecond. */
const KINDS = ['dropped', 'received', 'failed'] as const satisfies readonly Hit['kind'][];

/** Where a hit stands among all, the newest first. */
export interface HitPosition {
  readonly atMs: number;
  readonly kind: Hit['kind'];
  /** The item, or the number of its row: its table is read in the order of these. */
  readonly key: string | number;
}

interface Search {
  readonly hits: readonly Hit[];
  /** By the start of what is known of a document, or, where nothing begins so, by a part of it. */
  readonly how: How;
  /** How far back was looked; null: as far as the ledger goes. */
  readonly sinceMs: number | null;
}

/** What is looked through where nothing else was said and there is no index, or too much that begins so. */
const PERIOD_MS = 30 * 86_400_000;
const PART_LETTERS_MIN = 3;
/** Parties that one text may tell. */
export const PARTICIPANTS_MAX = 20;

interface Where extends Pick<Administration, 'clock'> {
  readonly ledger: Pick<Administration['ledger'], 'read'>;
}

export async function findDocuments({ ledger: { read }, clock }: Where, wish: Wish): Promise<Search> {
  const period = { ...wish, sinceMs: wish.sinceMs ?? clock.now() - PERIOD_MS };
  const begun = await byStart(read, wish, period);
  if (begun.hits.length > 0 || wish.text.length < PART_LETTERS_MIN) return begun;
  return { hits: newest(await byPart(read, period), wish), how: 'part', sinceMs: period.sinceMs };
}

async function byStart(rows: Rows, wish: Wish, period: Wish): Promise<Search> {
  const words = await wordsOf(rows, wish, 'start');
  const { dropped, received, failed } = soughtOf(wish);
  const common = { sinceMs: period.sinceMs ?? 0 };
  const nothing = { rows: [], isCommon: false };
  const items = dropped ? await findItemsFrom(rows, words, dropped, { ...dropped, ...common }) : nothing;
  const documents = received ? await findDocumentsFrom(rows, words, received, { ...received, ...common }) : nothing;
  const uploads = failed ? await findFailedUploads(rows, wish.text, 'start', failed) : [];
  const isCommon = items.isCommon || documents.isCommon;
  const hits = newest(hitsOf(items.rows, documents.rows, uploads), wish);
  return { hits, how: 'start', sinceMs: isCommon ? common.sinceMs : (wish.sinceMs ?? null) };
}

async function byPart(rows: Rows, period: Wish): Promise<Hit[]> {
  const words = await wordsOf(rows, period, 'part');
  const { dropped, received, failed } = soughtOf(period);
  return hitsOf(
    dropped ? await findItemsWith(rows, words, dropped) : [],
    received ? await findDocumentsWith(rows, words, received) : [],
    failed ? await findFailedUploads(rows, words.text, 'part', failed) : [],
  );
}

async function wordsOf(rows: Rows, { text, registered }: Wish, how: How): Promise<Words> {
  const participants = new Set([...(await registered(how)), ...(await readParticipantsLike(rows, text, how, PARTICIPANTS_MAX))]);
  return { text, participants: [...participants].slice(0, PARTICIPANTS_MAX) };
}

/** What is sought of each kind; undefined where it is not among what is wished. */
function soughtOf({ text: _, states, registered: __, behind, ...sought }: Wish): Readonly<Partial<Record<Hit['kind'], Sought>>> {
  const itemStates = ITEM_STATES.filter((state): state is ItemState => states === undefined || states.includes(state));
  const isSought = {
    dropped: itemStates.length > 0,
    received: states === undefined || states.includes('received'),
    // Of what never came in the family is not known.
    failed: sought.family === undefined && (states === undefined || states.includes('failed')),
  };
  const each = KINDS.filter((kind) => isSought[kind]).map((kind): [Hit['kind'], Sought] => [
    kind,
    {
      ...sought,
      ...(kind === 'dropped' && states !== undefined && { states: itemStates }),
      ...(behind && { before: boundOf(kind, behind) }),
    },
  ]);
  return Object.fromEntries(each);
}

/** Within the millisecond of the place all of the kinds before that of the place has been told, and nothing of the kinds behind it. */
function boundOf(kind: Hit['kind'], { atMs, kind: last, key }: HitPosition): NonNullable<Sought['before']> {
  if (kind === last) return { atMs, key };
  return { atMs: KINDS.indexOf(kind) < KINDS.indexOf(last) ? atMs : atMs + 1 };
}

function hitsOf(items: readonly FoundItem[], documents: readonly FoundDocument[], uploads: readonly KnownFailedUpload[]): Hit[] {
  return [
    ...items.map((item): Hit => ({ kind: 'dropped', atMs: item.receivedAt, item })),
    ...documents.map((document): Hit => ({ kind: 'received', atMs: document.receivedAt, document })),
    ...uploads.map((upload): Hit => ({ kind: 'failed', atMs: upload.atMs, upload })),
  ];
}

/** Each once, though several of its facts may have told it. */
function newest(hits: readonly Hit[], { limit }: Wish): Hit[] {
  const each = new Map(hits.map((hit) => [`${hit.kind} ${idOf(hit)}`, hit]));
  const placed = [...each.values()].map((hit) => ({ hit, place: positionOf(hit) }));
  return placed
    .sort((one, other) => inOrder(one.place, other.place))
    .map(({ hit }) => hit)
    .slice(0, limit);
}

export function positionOf(hit: Hit): HitPosition {
  const { kind, atMs } = hit;
  // Items are read in the order of their ids, which a slow upload or a clock that steps back puts beside that of `receivedAt`.
  if (kind === 'dropped') return { kind, atMs: idMadeAt(hit.item.item), key: hit.item.item };
  return { kind, atMs, key: kind === 'received' ? hit.document.sequence : hit.upload.upload };
}

function inOrder(one: HitPosition, other: HitPosition): number {
  return other.atMs - one.atMs || KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) || (one.key < other.key ? 1 : -1);
}

/** Of the item, of the document at the service, of the failed upload. */
export function idOf(hit: Hit): string {
  if (hit.kind === 'dropped') return hit.item.item;
  return hit.kind === 'received' ? hit.document.integrationId : String(hit.upload.upload);
}
