// Receives an envelope from the network, once however often it comes: a document becomes an incoming message of its receiver, a response
// changes the status of our message.

import { hash } from 'node:crypto';
import type { Examiner } from '#core/examination/examiner.ts';
import type { Opened } from '#core/examination/open.ts';
import { mayRespond, type NetworkResponse } from '#core/examination/responses.ts';
import { accountOfParticipant, profileOfParticipant } from '#core/ledger/accounts.ts';
import { writeForFound } from '#core/ledger/found-account.ts';
import type { MessageRow } from '#core/ledger/messages.ts';
import { selectContent } from '#core/ledger/pages.ts';
import {
  completeResponse,
  insertReception,
  insertResponse,
  isReceived,
  messageOfDocument,
  messageOfEnvelope,
} from '#core/ledger/receptions.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { endTransmissions } from '#core/ledger/transmissions.ts';
import type { Listeners } from '#core/model/listeners.ts';
import { advance, announceStatus, type Recorded } from '#core/transactions/delivery.ts';
import { deliver, type List, readList } from '#core/transactions/store.ts';
import { dayOf } from '#domain/day.ts';
import type { DocumentHead } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import type { Reception } from './access-point.ts';
import type { TransmitParts } from './attempt.ts';

export interface ReceiveParts extends TransmitParts, Pick<Listeners, 'incoming'> {
  readonly examiner: Pick<Examiner, 'open'>;
}

/** Throws an error of `NEVER_TAKEN` for an envelope that will never be taken; after any other error it is to be tried again. */
export async function receiveEnvelope(parts: ReceiveParts, bytes: Uint8Array): Promise<Reception> {
  const { examiner, clock, ledger } = parts;
  const opened = await examiner.open({ bytes, day: dayOf(clock.now()) });
  const { holds } = opened;
  const reception = (await isReceived(ledger.read, opened.instanceId))
    ? 'known'
    : await (holds.kind === 'response' ? receiveResponse(parts, opened, holds.response) : receiveDocument(parts, opened, holds.head));
  const profile = await profileOfParticipant(ledger.read, opened.receiver);
  return { reception, country: profile?.country ?? null };
}

type Done = Reception['reception'];

async function receiveDocument(parts: ReceiveParts, envelope: Opened, head: DocumentHead): Promise<Done> {
  const { ledger, clock, log, queue, incoming } = parts;
  const { instanceId, sender, receiver, document } = envelope;
  const content = { notation: 'xml', sha256: hash('sha256', document), bytes: document } as const;
  const find = (rows: Rows): Promise<string | undefined> => accountOfParticipant(rows, receiver);
  const taken = await writeForFound(ledger, find, async (rows, accountRegNo) => {
    const now = clock.now();
    if (accountRegNo === undefined) throw new AppError('unknown-receiver', `The receiver ${receiver} is no participant of this service.`);
    if (!(await insertReception(rows, instanceId, sender, now))) return null;
    const list = await readList(rows, accountRegNo, 'incoming', head);
    const same = await hasSame(rows, list, content.sha256);
    return { accountRegNo, delivered: same ? null : await deliver(rows, parts.random, list, { head, content, origin: null }, now) };
  });
  if (!taken) return 'known';
  const { accountRegNo, delivered } = taken;
  log.info({ event: 'network.received', instanceId, accountRegNo, family: head.family, documentId: head.documentId, sender });
  if (!delivered) return 'taken';
  incoming(accountRegNo, head.family, delivered.integrationId);
  for (const webhook of delivered.webhooks) queue.ring('webhook', webhook);
  return 'taken';
}

/** The same bytes in a new envelope are the same document. */
async function hasSame(rows: Rows, { existing, taken }: List, digest: string): Promise<boolean> {
  return existing ? (await selectContent(rows, existing)).sha256 === digest : taken?.sha256 === digest;
}

async function receiveResponse(parts: ReceiveParts, envelope: Opened, response: NetworkResponse): Promise<Done> {
  const { ledger, clock, log } = parts;
  const { instanceId, sender, document } = envelope;
  const { kind, code, reason, findings, status } = response;
  const find = async (rows: Rows): Promise<string | undefined> => (await messageOf(rows, envelope, response))?.account_reg_no;
  const done = await writeForFound(ledger, find, async (rows) => {
    const now = clock.now();
    if (!(await insertReception(rows, instanceId, sender, now))) return null;
    const message = await messageOf(rows, envelope, response);
    const kept = { instanceId, sequence: message?.sequence ?? null, kind, code, reason, findings, document };
    if (message && (await completeResponse(rows, message, kept))) return { message, recorded: null };
    const number = await insertResponse(rows, kept, now);
    let recorded: Recorded | null = null;
    if (message && status !== null) {
      recorded = await advance(rows, parts.random, message, status, now, {
        reason: status === 'rejected' ? reason : null,
        response: number,
      });
      await endTransmissions(rows, message.sequence, null);
    }
    return { message, recorded };
  });
  if (!done) return 'known';
  const { message, recorded } = done;
  const fields = { instanceId, kind, code, reference: response.reference, sender };
  if (message) log.info({ event: 'network.response-received', ...fields, integrationId: message.integration_id });
  else log.warn({ event: 'network.response-unmatched', ...fields });
  if (recorded) announceStatus(parts, recorded);
  return 'taken';
}

/** Our message that the response is to; undefined also when its sender may not respond to it. */
async function messageOf(rows: Rows, envelope: Opened, { reference, toEnvelope, by }: NetworkResponse): Promise<MessageRow | undefined> {
  const { sender, receiver } = envelope;
  const between = { sender: receiver, receiver: sender };
  const message = toEnvelope
    ? await messageOfEnvelope(rows, reference)
    : await messageOfDocument(rows, { families: ['Invoice', 'CreditNote'], documentId: reference, ...between });
  if (!message || !mayRespond(by, sender, message)) return undefined;
  // A provider responds to our provider, which has no account here.
  const isForIts = by === 'provider' || (await accountOfParticipant(rows, receiver)) === message.account_reg_no;
  return isForIts ? message : undefined;
}
