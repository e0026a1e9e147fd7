// One account of a declaration: its rows in the core, its key and rules at the gateway.

import { addAccount, addParticipant, issueGatewayKey, updateCoreAccount } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import type { ReceivingChanges } from '#gateway/model/receiving.ts';
import { changeAccount, changeReceiving } from '#gateway/operate/account-rules.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import type { DeclaredAccount } from './declaration.ts';
import { type GivenKeys, keyOf } from './given-keys.ts';
import { coreOf, gatewayOf, type Ledgers } from './installation.ts';
import { keepingHere, keepingIn, keepingInCore } from './keeping-words.ts';
import { accountHere, accountInCore } from './known.ts';
import { tellParticipants } from './partnership.ts';
import { receivingIn } from './receiving-words.ts';

/** Nothing of a remote service's account is the core's. Returns the API key that was made; null when none was. */
export async function applyInCore(ledgers: Ledgers, account: DeclaredAccount): Promise<string | null> {
  const { accountRegNo, name, participants = [], features, requests, validation, profile } = account;
  const keepMessages = keepingInCore(keepingIn(account.keep ?? {}));
  const isOfCore = [name, account.participants, features, requests, validation, profile, keepMessages].some((said) => said !== undefined);
  if (!ledgers.core && !isOfCore) return null;
  const core = coreOf(ledgers);
  const there = await accountInCore(ledgers, accountRegNo);
  let apiKey: string | null = null;
  if (there) {
    for (const participant of participants) await addParticipant(core, accountRegNo, participant);
    await tellParticipants(ledgers, accountRegNo);
  } else {
    if (name === undefined) throw new AppError('usage', `Account ${accountRegNo} needs a name.`);
    apiKey = (await addAccount(core, { accountRegNo, name, participants })).apiKey;
  }
  await updateCoreAccount(core, accountRegNo, {
    name,
    features,
    ...(validation && { validation }),
    ...(requests !== undefined && { requestsMax: requests }),
    ...(keepMessages !== undefined && { keepMessages }),
    ...(profile && { profile: { ...there?.profile, ...profile } }),
  });
  return apiKey;
}

/** How documents are received for it, so far as that is declared. Throws `usage`. */
export function receivingOfAccount(account: DeclaredAccount | undefined): ReceivingChanges {
  return account?.home?.receiving ? receivingIn(account.home.receiving) : {};
}

/** It has a home of its own, or is to have one. */
export function needsHome({ home }: DeclaredAccount): boolean {
  return home !== undefined && home.key !== 'partner';
}

/** Gives it a home and a key here, unless it has them. A partner's child gets a key of its own only when that is declared. Throws `missing`. */
export async function putDeclared(ledgers: Ledgers, account: DeclaredAccount, keys: GivenKeys): Promise<void> {
  const { accountRegNo, home = {} } = account;
  const gateway = gatewayOf(ledgers);
  const there = await accountHere(ledgers, accountRegNo);
  if (there?.ownKey || (there && home.key === undefined && !home.apiKey)) return;
  const key = ledgers.core ? await issueGatewayKey(ledgers.core, accountRegNo) : givenKey(account, keys);
  await putAccount(gateway, accountRegNo, key, receivingOfAccount(account));
}

function givenKey({ accountRegNo }: DeclaredAccount, keys: GivenKeys): string {
  const given = keyOf(keys, { accountRegNo });
  if (given !== undefined) return given;
  throw new AppError(
    'missing',
    `The API key of account ${accountRegNo} is not here; below its 'home' write  apiKey: {file: PATH}  or  apiKey: {env: NAME}.`,
  );
}

/** Its rules at the gateway. Throws `missing` when it has no home here. */
export async function applyHere(ledgers: Ledgers, account: DeclaredAccount): Promise<void> {
  const { key: _, apiKey: __, receiving: ___, ...rules } = account.home ?? {};
  const keep = keepingHere(keepingIn(account.keep ?? {}));
  const changes = { ...rules, ...(Object.keys(keep).length > 0 && { keep }) };
  if (Object.keys(changes).length > 0) await changeAccount(gatewayOf(ledgers), account.accountRegNo, changes);
  const receiving = receivingOfAccount(account);
  if (Object.keys(receiving).length > 0) await changeReceiving(gatewayOf(ledgers), account.accountRegNo, receiving);
}
