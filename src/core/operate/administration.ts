// What an administrator may change of this core: accounts, participants, keys and partners. Works on the open ledger, also
// while a daemon runs beside it; changes hold from the next request on.

import { v4 } from 'uuid';
import { digestOfKey, type Environment, newApiKey } from '#core/access/api-keys.ts';
import {
  type AccountUpdate,
  type AccountWithProfile,
  accountOfParticipant,
  deleteAccount,
  deleteParticipant,
  findAccount,
  insertAccount,
  insertParticipant,
  participantsByAccount,
  participantsOf,
  selectAccounts,
  updateAccount,
} from '#core/ledger/accounts.ts';
import { deleteKeys, expireKeys, insertKey, type KeyOwner, type KeyScope } from '#core/ledger/keys.ts';
import { hasMessages } from '#core/ledger/messages.ts';
import {
  deleteLink,
  deleteLinksOf,
  deletePartner,
  insertLink,
  insertPartner,
  type PartnerUpdate,
  partnerExists,
  updatePartner,
} from '#core/ledger/partners.ts';
import type { Ledger, Rows } from '#core/ledger/schema.ts';
import { deleteWebhook, deleteWebhooksOf, deleteWebhooksOfPartner, selectWebhooks } from '#core/ledger/webhooks.ts';
import { checkedName } from '#domain/account.ts';
import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import { parseParticipant } from '#domain/participant.ts';
import type { Scope } from '#engines/database.ts';
import type { Clock } from '#runtime/clock.ts';

export interface CoreAdministration {
  readonly ledger: Ledger;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly random: Random;
}

/** Keys are shown once: the ledger keeps only their digests. */
export interface AccountKeys {
  readonly apiKey: string;
  /** For the gateway in front of this core. */
  readonly gatewayKey: string;
}

export interface CoreAccount extends AccountWithProfile {
  readonly participants: readonly string[];
}

/** Adds an account with its participants (`0007:5567321707`). Throws `usage`, and `exists` when it or a participant is taken. */
export async function addAccount(
  on: CoreAdministration,
  account: { accountRegNo: string; name: string; participants: readonly string[] },
): Promise<AccountKeys> {
  checkedName('accountRegNo', account.accountRegNo);
  const participants = [...new Set(account.participants.map(parseParticipant))];
  const now = on.clock.now();
  return on.ledger.write(['administration'], async (rows) => {
    if (await findAccount(rows, account.accountRegNo)) {
      throw new AppError('exists', `Account ${account.accountRegNo} is there already: choose another accountRegNo.`);
    }
    await insertAccount(rows, account, now);
    for (const participant of participants) await assign(rows, account.accountRegNo, participant);
    return issueKeys(on, rows, account.accountRegNo, now);
  });
}

/** Its addresses. Throws `missing`. */
export async function accountParticipants(
  { ledger: { read } }: Pick<CoreAdministration, 'ledger'>,
  accountRegNo: string,
): Promise<string[]> {
  await known(read, accountRegNo);
  return participantsOf(read, accountRegNo);
}

/** Assigns one more participant. Throws `usage`, `missing`, and `exists` when another account has it. */
export async function addParticipant(on: CoreAdministration, accountRegNo: string, participant: string): Promise<void> {
  const normal = parseParticipant(participant);
  await on.ledger.write(['administration'], async (rows) => {
    await known(rows, accountRegNo);
    await assign(rows, accountRegNo, normal);
  });
}

/** Takes a participant away from an account; documents that name it as receiver are its no more. Throws `usage`, `missing`. */
export async function removeParticipant(on: CoreAdministration, accountRegNo: string, participant: string): Promise<void> {
  const normal = parseParticipant(participant);
  await on.ledger.write(['administration'], async (rows) => {
    await known(rows, accountRegNo);
    if (!(await deleteParticipant(rows, accountRegNo, normal))) {
      throw new AppError('missing', `The participant ${normal} does not belong to account ${accountRegNo}.`);
    }
  });
}

/** All accounts, or those of these that are there. */
export async function listAccounts(
  { ledger: { read } }: Pick<CoreAdministration, 'ledger'>,
  accountRegNos?: readonly string[],
): Promise<CoreAccount[]> {
  const [accounts, participants] = await Promise.all([selectAccounts(read, accountRegNos), participantsByAccount(read, accountRegNos)]);
  return accounts.map((account) => ({ ...account, participants: participants.get(account.accountRegNo) ?? [] }));
}

/**
 * Changes what is given of an account. When it is disabled its keys are not valid, and documents still arrive and wait; `requestsMax` null gives
 * it the usual budget. Throws `missing`.
 */
export async function updateCoreAccount(on: CoreAdministration, accountRegNo: string, update: AccountUpdate): Promise<void> {
  await on.ledger.write(['administration'], async (rows) => {
    if (!(await updateAccount(rows, accountRegNo, update))) throw unknownAccount(accountRegNo);
  });
}

/** Removes an account without messages; an account with messages must be kept, for its documents. Throws `missing`, `exists`. */
export async function removeAccount(on: CoreAdministration, accountRegNo: string): Promise<void> {
  await on.ledger.write(['administration', `account ${accountRegNo}`], async (rows) => {
    await known(rows, accountRegNo);
    if (await hasMessages(rows, accountRegNo)) {
      throw new AppError('exists', `Account ${accountRegNo} has documents, which are kept: disable it instead.`);
    }
    await deleteKeys(rows, { accountRegNo });
    await deleteWebhooksOf(rows, accountRegNo);
    await deleteAccount(rows, accountRegNo);
  });
}

/** New keys; the old ones stay valid for `graceMs`. Throws `missing`. */
export async function rotateKey(on: CoreAdministration, accountRegNo: string, graceMs: number): Promise<AccountKeys> {
  const now = on.clock.now();
  return on.ledger.write(['administration'], async (rows) => {
    await known(rows, accountRegNo);
    await expireKeys(rows, { accountRegNo }, now + graceMs);
    return issueKeys(on, rows, accountRegNo, now);
  });
}

/** One more key for the gateway in front of this core; every other key stays as it is. Throws `missing`. */
export async function issueGatewayKey(on: CoreAdministration, accountRegNo: string): Promise<string> {
  return on.ledger.write(['administration'], async (rows) => {
    await known(rows, accountRegNo);
    return issue(on, rows, { accountRegNo }, 'gateway', on.clock.now());
  });
}

/** Adds a partner and returns its API key. Throws `usage`, `exists`. */
export async function addPartner(on: CoreAdministration, partner: { partnerRegNo: string; name: string }): Promise<{ apiKey: string }> {
  checkedName('partnerRegNo', partner.partnerRegNo);
  const now = on.clock.now();
  return on.ledger.write(['administration'], async (rows) => {
    if (await partnerExists(rows, partner.partnerRegNo)) {
      throw new AppError('exists', `Partner ${partner.partnerRegNo} is there already: choose another partnerRegNo.`);
    }
    await insertPartner(rows, partner, now);
    return { apiKey: await issue(on, rows, { partnerRegNo: partner.partnerRegNo }, 'partner', now) };
  });
}

/**
 * Changes what is given of a partner. When it is disabled it may do nothing, and hears nothing, at once, and nothing of it is deleted; a limit of
 * null is the usual one. Throws `missing`.
 */
export async function updateCorePartner(on: CoreAdministration, partnerRegNo: string, update: PartnerUpdate): Promise<void> {
  await on.ledger.write(['administration'], async (rows) => {
    if (!(await updatePartner(rows, partnerRegNo, update))) throw unknownPartner(partnerRegNo);
  });
}

/** Forgets a partner, its keys, links and subscriptions: what it was given is refused at once. Its children stay. Throws `missing`. */
export async function removePartner(on: CoreAdministration, partnerRegNo: string): Promise<void> {
  const subscriptions = (await selectWebhooks(on.ledger.read)).filter((webhook) => webhook.partner_reg_no === partnerRegNo);
  const accounts = subscriptions.map(({ account_reg_no: accountRegNo }): Scope => `account ${accountRegNo}`);
  await on.ledger.write(['administration', ...accounts], async (rows) => {
    await deleteKeys(rows, { partnerRegNo });
    await deleteWebhooksOfPartner(rows, partnerRegNo);
    if (!(await deletePartner(rows, partnerRegNo))) throw unknownPartner(partnerRegNo);
  });
}

/** Lets a partner act for an account; doing it again changes nothing. Throws `missing`. */
export async function linkPartner(on: CoreAdministration, partnerRegNo: string, accountRegNo: string): Promise<void> {
  await on.ledger.write(['administration'], async (rows) => {
    await known(rows, accountRegNo);
    if (!(await partnerExists(rows, partnerRegNo))) throw new AppError('missing', `There is no partner ${partnerRegNo}: add it first.`);
    await insertLink(rows, partnerRegNo, accountRegNo);
  });
}

/** From now on the partner may not act for the account, nor hear of it; tokens that say so are refused at once. Throws `missing`. */
export async function unlinkPartner(on: CoreAdministration, partnerRegNo: string, accountRegNo: string): Promise<void> {
  await on.ledger.write(['administration', `account ${accountRegNo}`], async (rows) => {
    if (!(await deleteLink(rows, partnerRegNo, accountRegNo))) {
      throw new AppError('missing', `Partner ${partnerRegNo} may not act for ${accountRegNo} anyway.`);
    }
    await deleteWebhook(rows, { scope: 'child', partnerRegNo, accountRegNo });
  });
}

/**
 * Takes an account back for the administrator: the links, keys, tokens and subscriptions of all who had it end at once. Returns new keys. Throws
 * `missing`.
 */
export async function takeBack(on: CoreAdministration, accountRegNo: string): Promise<AccountKeys> {
  return on.ledger.write(['administration', `account ${accountRegNo}`], async (rows) => {
    await known(rows, accountRegNo);
    await deleteLinksOf(rows, accountRegNo);
    await deleteWebhooksOf(rows, accountRegNo);
    await deleteKeys(rows, { accountRegNo });
    return issueKeys(on, rows, accountRegNo, on.clock.now());
  });
}

/** One more API key of a partner, for the gateway in front of this core; every other key stays as it is. Throws `missing`. */
export async function issuePartnerKey(on: CoreAdministration, partnerRegNo: string): Promise<string> {
  return on.ledger.write(['administration'], async (rows) => {
    if (!(await partnerExists(rows, partnerRegNo))) throw unknownPartner(partnerRegNo);
    return issue(on, rows, { partnerRegNo }, 'partner', on.clock.now());
  });
}

/** A new API key of a partner; the old one stays valid for `graceMs`. Throws `missing`. */
export async function rotatePartnerKey(on: CoreAdministration, partnerRegNo: string, graceMs: number): Promise<string> {
  const now = on.clock.now();
  return on.ledger.write(['administration'], async (rows) => {
    if (!(await partnerExists(rows, partnerRegNo))) throw unknownPartner(partnerRegNo);
    await expireKeys(rows, { partnerRegNo }, now + graceMs);
    return issue(on, rows, { partnerRegNo }, 'partner', now);
  });
}

async function assign(rows: Rows, accountRegNo: string, participant: string): Promise<void> {
  const owner = await accountOfParticipant(rows, participant);
  if (owner === accountRegNo) return;
  // The sentence does not name the other account.
  if (owner !== undefined) throw new AppError('exists', `The participant ${participant} belongs to another account.`);
  await insertParticipant(rows, accountRegNo, participant);
}

async function issueKeys(on: CoreAdministration, rows: Rows, accountRegNo: string, nowMs: number): Promise<AccountKeys> {
  return {
    apiKey: await issue(on, rows, { accountRegNo }, 'api', nowMs),
    gatewayKey: await issue(on, rows, { accountRegNo }, 'gateway', nowMs),
  };
}

async function issue(on: CoreAdministration, rows: Rows, owner: KeyOwner, scope: KeyScope, nowMs: number): Promise<string> {
  const key = newApiKey(on.environment, on.random);
  await insertKey(rows, { keyId: v4({ random: on.random(16) }), sha256: digestOfKey(key), owner, scope }, nowMs);
  return key;
}

async function known(rows: Rows, accountRegNo: string): Promise<void> {
  if (!(await findAccount(rows, accountRegNo))) throw unknownAccount(accountRegNo);
}

function unknownAccount(accountRegNo: string): AppError {
  return new AppError('missing', `There is no account ${accountRegNo}.`);
}

function unknownPartner(partnerRegNo: string): AppError {
  return new AppError('missing', `There is no partner ${partnerRegNo}.`);
}
