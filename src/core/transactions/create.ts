// Creates a message: checks the document, stores it, and delivers it or owes it to the network, in one transaction with its idempotency key.
import { hash } from 'node:crypto';
import { v7 } from 'uuid';
import type { Notation } from '#contract/headers.ts';
import type { Examiner } from '#core/examination/examiner.ts';
import type { Examined } from '#core/examination/permit.ts';
import { accountOfParticipant } from '#core/ledger/accounts.ts';
import type { Version } from '#core/ledger/messages.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { replaceTransmissions } from '#core/ledger/transmissions.ts';
import { type Content, contentKey } from '#core/model/document.ts';
import type { Listeners } from '#core/model/listeners.ts';
import type { Direction } from '#domain/account.ts';
import { dayOf } from '#domain/day.ts';
import { type DocumentHead, type Finding, fatal, refusedFor } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import type { Family } from '#domain/family.ts';
import type { Random } from '#domain/id.ts';
import type { Validation } from '#domain/validation.ts';
import type { Scope } from '#engines/database.ts';
import { pipelined } from '#engines/pipelined.ts';
import type { Queue } from '#engines/queue.ts';
import type { LruCache } from '#runtime/cache.ts';
import type { Log } from '#runtime/log.ts';
import type { Departure, Departures } from './departures.ts';
import { type Finish, type IdempotencyParts, once, type Response } from './idempotency.ts';
import { whyNotOwn } from './ownership.ts';
import { checkOrigin, type Delivered, deliver, type Earlier, earlierId, eventsOf, findEarlier, put, readList } from './store.ts';

export interface CreateParts extends IdempotencyParts, Pick<Listeners, 'incoming' | 'changed'> {
  readonly random: Random;
  readonly log: Log;
  readonly queue: Queue;
  readonly examiner: Pick<Examiner, 'examine'>;
  readonly network: Departures;
  /** Recent incoming documents by `contentKey`, until they are fetched. */
  readonly contents: Pick<LruCache<Content>, 'put'>;
}

interface CreateRequest {
  readonly accountRegNo: string;
  readonly family: Family;
  readonly direction: Direction;
  readonly notation: Notation;
  readonly body: Uint8Array;
  readonly overwrite: boolean;
  readonly idempotencyKey: string | undefined;
  /** How strictly the account's documents are judged. */
  readonly validation: Validation;
  /** Of the request, without its query. */
  readonly path: string;
  /** Writes the response, which is kept with the idempotency key. */
  readonly respond: (documentId: string, integrationId: string, warnings: readonly Finding[]) => Response;
}

interface Stored {
  readonly response: Response;
  /** The incoming message that the receiver got. */
  readonly received: { readonly accountRegNo: string; readonly integrationId: string; readonly isNew: boolean } | null;
  /** Webhooks that are owed an event. */
  readonly webhooks: readonly string[];
  /** The transmission that is owed to the network. */
  readonly transmission: string | null;
}

/**
 * Stores a document and returns the response, or replays the response to the same request. Throws `bad-request`, `key-reused`,
 * `in-flight`, `unreadable`, `invalid`, `duplicate`, `unknown-receiver`.
 */
export async function createMessage(parts: CreateParts, request: CreateRequest): Promise<Response> {
  const { accountRegNo, idempotencyKey: key, path, body } = request;
  const digest = hash('sha256', body);
  if (key === undefined) return createOnce(parts, request, digest, null);
  return once(parts, { accountRegNo, key, path, fingerprint: digest }, (finish) => createOnce(parts, request, digest, finish));
}

async function createOnce(parts: CreateParts, request: CreateRequest, digest: string, finish: Finish | null): Promise<Response> {
  const document = { ...(await examined(parts, request)), content: { notation: request.notation, sha256: digest, bytes: request.body } };
  const stored = await storeWhereItGoes(parts, request, document, finish);
  const { received } = stored;
  if (received?.isNew) parts.contents.put(contentKey(received.integrationId, 1), document.content);
  announce(parts, request, document, stored);
  return stored.response;
}

/** Once more from the beginning where the receiver has become another account's meanwhile: a write names its accounts before it begins. */
async function storeWhereItGoes(parts: CreateParts, request: CreateRequest, document: Submitted, finish: Finish | null): Promise<Stored> {
  for (;;) {
    const receiver = await receiverOf(parts.ledger.read, request, document.head);
    const departure = receiver === undefined ? await departureOf(parts, request, document.head) : null;
    const accounts = receiver === undefined ? [request.accountRegNo] : [request.accountRegNo, receiver];
    const scopes = accounts.map((accountRegNo): Scope => `account ${accountRegNo}`);
    const course = { receiver, departure, finish };
    const stored = await parts.ledger.write(scopes, (rows) => store(rows, parts, request, document, course));
    if (stored) return stored;
  }
}

/** Judges the document by the account's settings and the rules of today. */
function examined({ clock, examiner }: CreateParts, { family, notation, body, validation }: CreateRequest): Promise<Examined> {
  return examiner.examine({ family: family.name, notation, body, validation, day: dayOf(clock.now()) });
}

/** The account of this core that gets an outgoing document; undefined for the network. */
async function receiverOf(rows: Rows, { direction }: CreateRequest, head: DocumentHead): Promise<string | undefined> {
  return direction === 'outgoing' ? accountOfParticipant(rows, head.receiver) : undefined;
}

interface Course {
  readonly receiver: string | undefined;
  readonly departure: Departure | null;
  readonly finish: Finish | null;
}

type Submitted = Examined & Pick<Version, 'content'>;

/**
 * How an outgoing document without a receiver here leaves this core; null when it does not. The network is asked before the transaction, and only about a document
 * that could be stored.
 */
async function departureOf(
  { ledger: { read }, network }: CreateParts,
  request: CreateRequest,
  head: DocumentHead,
): Promise<Departure | null> {
  if (request.direction === 'incoming') return null;
  await checkOwnership(read, request, head);
  admit(request, head, await findEarlier(read, request.accountRegNo, request.direction, head));
  return network.depart(head);
}

/** Throws `invalid`, `duplicate` when a document may not be stored; `earlier` is what it replaces, whose integrationId is returned. */
function admit({ accountRegNo, direction, overwrite }: CreateRequest, head: DocumentHead, earlier: Earlier): string | undefined {
  const integrationId = earlierId(earlier);
  if (integrationId !== undefined && !overwrite) throw duplicate(head, integrationId);
  if (direction === 'incoming') checkOrigin(head, earlier, accountRegNo);
  return integrationId;
}

/** Null when the receiver is another account's by now; then nothing is stored. */
async function store(
  rows: Rows,
  { clock, random, network }: CreateParts,
  request: CreateRequest,
  { head, content, warnings }: Submitted,
  { receiver, departure, finish }: Course,
): Promise<Stored | null> {
  const { accountRegNo, direction } = request;
  const now = clock.now();
  const [found, , own, others] = await pipelined(
    receiverOf(rows, request, head),
    checkOwnership(rows, request, head),
    readList(rows, accountRegNo, direction, head),
    receiver === undefined ? undefined : readList(rows, receiver, 'incoming', head),
  );
  if (found !== receiver) return null;
  const { existing } = own;
  const earlier = admit(request, head, own);
  if (existing) await replaceTransmissions(rows, existing.sequence, 'replaced by a later version');
  const leaves = direction === 'outgoing' && receiver === undefined;

  const integrationId = earlier ?? v7({ msecs: now, random: random(16) });
  const events = eventsOf(direction, earlier !== undefined, leaves ? 'network' : 'local');
  const version = { head, content, events, origin: accountRegNo };
  const response = request.respond(head.documentId, integrationId, warnings);
  const [webhooks, delivered = null] = await pipelined(
    put(rows, random, own, { ...version, integrationId }, now),
    others && deliver(rows, random, others, version, now),
    finish?.(rows, response),
  );
  const transmission = leaves ? await network.owe(rows, integrationId, departure, now) : null;

  return {
    response,
    received: receivedBy(direction === 'incoming' ? accountRegNo : receiver, delivered ?? { integrationId, isNew: earlier === undefined }),
    webhooks: [...webhooks, ...(delivered?.webhooks ?? [])],
    transmission,
  };
}

function receivedBy(
  accountRegNo: string | undefined,
  { integrationId, isNew }: Pick<Delivered, 'integrationId' | 'isNew'>,
): Stored['received'] {
  return accountRegNo === undefined ? null : { accountRegNo, integrationId, isNew };
}

/** Throws `invalid` where the document's own party is not the account. */
async function checkOwnership(rows: Rows, { accountRegNo, direction }: CreateRequest, head: DocumentHead): Promise<void> {
  const message = await whyNotOwn(rows, accountRegNo, direction, direction === 'outgoing' ? head.sender : head.receiver);
  if (message !== null) throw refusedFor([fatal('participant', message)]);
}

function duplicate({ family, documentId, receiver }: DocumentHead, integrationId: string): AppError {
  const sentence = `${family} ${documentId} for ${receiver} was submitted before. To replace it, send it with overwrite=true.`;
  return new AppError('duplicate', sentence, { facts: { integrationId } });
}

function announce(parts: CreateParts, request: CreateRequest, { head }: Submitted, stored: Stored): void {
  const { response, received, webhooks, transmission } = stored;
  const { log, incoming, changed, queue } = parts;
  const { accountRegNo, direction, overwrite } = request;
  const { family, documentId } = head;
  log.info({ event: 'core.stored', accountRegNo, direction, family, documentId, integrationId: response.integrationId, overwrite });
  if (received) incoming(received.accountRegNo, family, received.integrationId);
  if (direction === 'outgoing') changed(accountRegNo, family);
  for (const webhook of webhooks) queue.ring('webhook', webhook);
  if (transmission !== null) queue.ring('transmission', transmission);
}
