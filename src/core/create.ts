// Creating a message: one document, checked, stored and delivered in one transaction, together with its idempotency key.
import type { Notation } from '#contract/headers.ts';
import type { Direction } from '#domain/account.ts';
import type { DocumentHead, Finding } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import type { Family } from '#domain/family.ts';
import { STRICT } from '#domain/validation.ts';
import { dayOf } from '#runtime/day.ts';
import type { Context } from './context.ts';
import { sha256 } from './document.ts';
import type { Examined } from './examination/examine.ts';
import { type Claim, claimKey, type Response } from './idempotency.ts';
import { accountOfParticipant, findAccount, hasParticipants } from './ledger/accounts.ts';
import {
  findCollision,
  insertMessage,
  type MessageEvent,
  type MessageRow,
  type NewMessage,
  replaceMessage,
  type Version,
} from './ledger/messages.ts';
import type { Rows } from './ledger/schema.ts';
import { newUuid } from './uuid.ts';
import { recordEvents } from './webhooks/events.ts';

export interface CreateRequest {
  readonly accountRegNo: string;
  readonly family: Family;
  readonly direction: Direction;
  readonly notation: Notation;
  readonly body: Uint8Array;
  readonly overwrite: boolean;
  readonly idempotencyKey: string | undefined;
  /** Of the request, without its query. */
  readonly path: string;
  /** Writes the response, which is kept with the idempotency key. */
  readonly respond: (documentId: string, integrationId: string, warnings: readonly Finding[]) => Response;
}

interface Stored {
  readonly response: Response;
  readonly head: DocumentHead;
  /** Accounts that got an incoming message. */
  readonly receivers: readonly string[];
  /** Webhooks that are owed an event. */
  readonly webhooks: readonly string[];
}

/**
 * Stores a document and returns the response, or replays the response to the same request. Throws `bad-request`, `key-reused`,
 * `in-flight`, `unreadable`, `invalid`, `duplicate`, `unknown-receiver`.
 */
export async function createMessage(context: Context, request: CreateRequest): Promise<Response> {
  const { accountRegNo, idempotencyKey: key, path, body } = request;
  const digest = sha256(body);
  const used = key === undefined ? null : await claimKey(context, { accountRegNo, key, path, fingerprint: digest });
  if (used && 'replay' in used) return used.replay;
  try {
    return await createClaimed(context, request, digest, used?.claim ?? null);
  } catch (error) {
    await used?.claim.release().catch((cause) => context.log.error({ event: 'core.key-not-released', accountRegNo, err: cause }));
    throw error;
  }
}

async function createClaimed(context: Context, request: CreateRequest, digest: string, claim: Claim | null): Promise<Response> {
  const document = { ...(await examined(context, request)), content: { notation: request.notation, sha256: digest, bytes: request.body } };
  const stored = await context.ledger.write(async (rows) => {
    const done = await store(rows, context, request, document);
    await claim?.finish(rows, done.response);
    return done;
  });
  announce(context, request, stored);
  return stored.response;
}

/** The document as its account wants it judged, by the rules of today. */
async function examined({ ledger, clock, examiner }: Context, request: CreateRequest): Promise<Examined> {
  const { family, notation, body, accountRegNo } = request;
  const account = await findAccount(ledger.read, accountRegNo);
  return examiner.examine({ family: family.name, notation, body, validation: account?.validation ?? STRICT, day: dayOf(clock.now()) });
}

type IncomingDocument = Examined & Pick<Version, 'content'>;

async function store(rows: Rows, context: Context, request: CreateRequest, document: IncomingDocument): Promise<Stored> {
  const { accountRegNo, direction } = request;
  const { head, content, warnings } = document;
  const now = context.clock.now();
  await checkOwnership(rows, context, request, head);
  const existing = await findCollision(rows, accountRegNo, direction, head);
  if (existing && !request.overwrite) throw duplicate(head, existing.integration_id);
  const receiver = direction === 'outgoing' ? await localReceiver(rows, head) : null;

  const integrationId = existing?.integration_id ?? newUuid(context.random);
  const version = { head, content, events: eventsOf(direction, existing !== undefined) };
  const webhooks = await put(rows, context, { ...version, integrationId, accountRegNo, direction }, existing, now);
  if (receiver !== null) webhooks.push(...(await deliver(rows, context, receiver, version, now)));

  return {
    response: request.respond(head.documentId, integrationId, warnings),
    head,
    receivers: direction === 'incoming' ? [accountRegNo] : receiver === null ? [] : [receiver],
    webhooks,
  };
}

/** Stores a message, or the next version of it, and what its subscribers are told. Returns the webhooks to ring for. */
async function put(
  rows: Rows,
  { random }: Context,
  message: NewMessage,
  existing: MessageRow | undefined,
  nowMs: number,
): Promise<string[]> {
  const times = existing ? await replaceMessage(rows, existing, message, nowMs) : await insertMessage(rows, message, nowMs);
  return recordEvents(rows, random, { ...message, ...times }, message.events, nowMs);
}

/** Puts the document among the incoming ones of an account of this core; what it had under the same identity is replaced. */
async function deliver(rows: Rows, context: Context, accountRegNo: string, sent: Version, nowMs: number): Promise<string[]> {
  const existing = await findCollision(rows, accountRegNo, 'incoming', sent.head);
  const integrationId = existing?.integration_id ?? newUuid(context.random);
  const events = eventsOf('incoming', existing !== undefined);
  return put(rows, context, { ...sent, events, integrationId, accountRegNo, direction: 'incoming' }, existing, nowMs);
}

/** Within one core an outgoing document goes all its way in the transaction that takes it. */
function eventsOf(direction: Direction, again: boolean): readonly [...MessageEvent[], MessageEvent] {
  const event = again ? 'overwritten' : 'created';
  if (direction === 'incoming') return [{ event, status: 'received' }];
  return [
    { event, status: 'queued' },
    { event: 'status', status: 'sent' },
    { event: 'status', status: 'delivered' },
  ];
}

/** The sender of an outgoing and the receiver of an incoming document must be the account's own (decisions A3, Ownership). */
async function checkOwnership(rows: Rows, context: Context, request: CreateRequest, head: DocumentHead): Promise<void> {
  const { accountRegNo, direction } = request;
  const [role, participant] = direction === 'outgoing' ? ['sender', head.sender] : ['receiver', head.receiver];
  if ((await accountOfParticipant(rows, participant)) === accountRegNo) return;
  if (context.environment === 'test' && !(await hasParticipants(rows, accountRegNo))) return;
  const message = `The ${role} ${participant} is no participant of this account: an ${direction} document needs a ${role} that is. Correct the address, or have the participant assigned to the account.`;
  const details: Finding[] = [{ rule: 'participant', severity: 'fatal', message }];
  throw new AppError('invalid', message, { facts: { details } });
}

async function localReceiver(rows: Rows, head: DocumentHead): Promise<string> {
  const accountRegNo = await accountOfParticipant(rows, head.receiver);
  if (accountRegNo !== undefined) return accountRegNo;
  throw new AppError('unknown-receiver', `The receiver ${head.receiver} was not found on the network. Check the address.`);
}

function duplicate({ family, documentId, receiver }: DocumentHead, integrationId: string): AppError {
  const sentence = `${family} ${documentId} for ${receiver} was submitted before. To replace it, send it with overwrite=true.`;
  return new AppError('duplicate', sentence, { facts: { integrationId } });
}

function announce({ log, incoming, queue }: Context, request: CreateRequest, { response, head, receivers, webhooks }: Stored): void {
  const { accountRegNo, direction, overwrite } = request;
  const { family, documentId } = head;
  log.info({ event: 'core.stored', accountRegNo, direction, family, documentId, integrationId: response.integrationId, overwrite });
  for (const receiver of receivers) incoming(receiver, family);
  for (const webhook of webhooks) queue.ring('webhook', webhook);
}
