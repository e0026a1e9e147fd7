// One attempt to bring an item to the service: look before posting where that is due, post, and act on the answer
// (submit-and-poll.md, steps 5 to 7).
import { AppError } from '#domain/error.ts';
import { familyNamed } from '#domain/family.ts';
import { readLatestAccepted } from '#gateway/ledger/accepted-versions.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { AcceptedVersion } from '#gateway/model/item.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import { adopted, conflicting, stillThere } from '#gateway/model/receipt-sentences.ts';
import type { CoreClient } from '#gateway/service/core-client.ts';
import { type ActParts, type Attempt, act } from './acts.ts';
import { circuitOf } from './circuit-breaker.ts';
import { compareExisting, type Existing, findExisting } from './find-existing.ts';
import { mustLook } from './history.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { classify, classOfError, type ResponseClass } from './response.ts';

export interface SendParts extends ActParts {
  readonly environment: string;
  readonly client: CoreClient;
  readonly inHand: Pick<HomesInHand, 'check'>;
}

/** Resolves with the outcome that ends the item, or null when it stays pending. */
export async function send(parts: SendParts, begun: Omit<Attempt, 'proof'>): Promise<Outcome | null> {
  const { clock } = parts;
  const attempt = { ...begun, proof: parts.accounts.find(begun.item.accountRegNo)?.access.key };
  const { item, head, before, repeats, looks } = attempt;
  const { keys } = familyNamed(head.family);
  if (!item.recovered && !looks && !mustLook(before, { now: clock.now(), keys, repeats })) return post(parts, attempt);

  const existing = await findExisting(parts, attempt);
  const isDue = existing.kind === 'none' || (existing.kind === 'other' && attempt.overwrites);
  return isDue ? post(parts, attempt) : decide(parts, attempt, existing);
}

async function post(parts: SendParts, attempt: Attempt): Promise<Outcome | null> {
  const { client, environment, clock, log } = parts;
  const { item, head, notation, bytes, sha256, overwrites, needsOwnKey } = attempt;
  const { accountRegNo } = item;
  const key = idempotencyKey(environment, { ...item, family: head.family, sha256 }, needsOwnKey);
  let response: ResponseClass;
  parts.inHand.check();
  attempt.reservation.post();
  try {
    const request = { family: familyNamed(head.family), body: bytes, notation, key, overwrite: overwrites };
    response = classify(await client.create(accountRegNo, request), clock.now());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ event: 'submit.unknown', item: item.item, accountRegNo, err: error });
    response = classOfError(error, true);
  }
  if (response.kind !== 'unknown') parts.breaker.learnt(circuitOf(item, head), response.kind === 'accepted');
  if (response.kind !== 'conflict') return act(parts, attempt, response);
  const { integrationId } = response;
  const existing = await compareExisting(parts, attempt, integrationId);
  return decide(parts, attempt, existing.kind === 'none' ? await asRemembered(parts, attempt, integrationId) : existing);
}

/** The service does not keep the document any more, and knows for ever that its number is taken; so do we, where it was ours. */
async function asRemembered({ ledger }: SendParts, { item, head }: Attempt, integrationId: string): Promise<Existing> {
  const latest = await readLatestAccepted(ledger.read, item.accountRegNo, head);
  if (latest?.integrationId !== integrationId) return { kind: 'none' };
  return { kind: latest.sha256 === item.sha256 ? 'same' : 'other', integrationId };
}

/** What the service has under the document's id decides. */
async function decide(parts: SendParts, attempt: Attempt, existing: Existing): Promise<Outcome | null> {
  const { head, item, before } = attempt;
  const uncertain = item.recovered || before.isOpen;
  if (existing.kind === 'untold') return act(parts, attempt, existing.response);
  if (existing.kind === 'none') {
    const reason = 'the service says that it has the document, and does not show it';
    return act(parts, attempt, { kind: 'unknown', reason, posted: false });
  }
  const { kind, integrationId } = existing;
  if (kind !== 'same' && !(kind === 'more' && uncertain)) {
    const latest = await readLatestAccepted(parts.ledger.read, item.accountRegNo, head);
    // What another file of ours brought there was not brought by an earlier try of this one.
    return conflicting(head, uncertain && latest?.integrationId !== integrationId, integrationId);
  }
  const reported = await reportedBefore(parts, attempt);
  return reported?.integrationId === integrationId ? stillThere(head, reported) : adopted(head, integrationId);
}

/** The accepted version, known from a receipt, that this item is to bring to the service once more; undefined once it has sent something. */
async function reportedBefore({ ledger }: SendParts, { item, head, before }: Attempt): Promise<AcceptedVersion | undefined> {
  if (item.mode !== 'resend' || before.tries.length > 0) return undefined;
  const latest = await readLatestAccepted(ledger.read, item.accountRegNo, head);
  return latest?.sha256 === item.sha256 ? latest : undefined;
}
