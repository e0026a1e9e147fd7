// What a person has ordered is written down: who, what, and what it has changed of the accounts, logins, operators, partners, items and
// subscriptions that it names.
import { createHash } from 'node:crypto';
import { listAccounts, listPartners as listPartnersInCore } from '#core/operate/administration.ts';
import { listWebhooks } from '#core/operate/webhooks.ts';
import { toAppError } from '#domain/error.ts';
import { findItemsOf } from '#gateway/ledger/searches.ts';
import { listAccountsHere } from '#gateway/operate/account-rules.ts';
import { listLogins } from '#gateway/operate/logins.ts';
import { listOperators } from '#gateway/operate/operators.ts';
import { listPartners } from '#gateway/operate/partners.ts';
import { isPrivateKey } from '#gateway/sftp/auth/public-keys.ts';
import { writeDown } from '#runtime/audit/trail.ts';
import { systemClock } from '#runtime/clock.ts';
import { isSecret } from '#runtime/log.ts';
import type { Seal } from '#runtime/seal.ts';
import type { Ledgers } from './installation.ts';

export interface AuditParts extends Ledgers {
  readonly config: { readonly data: string };
  readonly seal: Seal;
  /** The user of the operating system who orders it. */
  readonly caller: string;
}

/** So many names of what an act is given are looked up. */
const NAMES_MAX = 10_000;
const DIGEST_CHARACTERS = 12;

/**
 * Does the work and writes it down, durably, before it is answered; also what failed, for it may have changed something. Throws what the work throws, and
 * what the disk throws: then it was done, and is not written down.
 */
export async function audited<Result>(on: AuditParts, what: string, given: unknown, work: () => Promise<Result>): Promise<Result> {
  const shown = withoutSecrets(given, () => SECRET);
  const names = namesIn(shown);
  const before = await stateOf(on, names);
  const note = async (failed?: string): Promise<void> => {
    const changes = changed(before, await stateOf(on, names));
    const act = { who: on.caller, what, given: shown, ...changes, ...(failed !== undefined && { failed }) };
    await writeDown(on.config.data, on.seal, act, systemClock.now());
  };
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await note(toAppError(error).message);
    throw error;
  }
  await note();
  return result;
}

/** Every text in the input may be a name. */
function namesIn(given: unknown): string[] {
  if (typeof given === 'string') return [given];
  if (typeof given !== 'object' || given === null) return [];
  return [...new Set(Object.values(given).flatMap(namesIn))].slice(0, NAMES_MAX);
}

type State = ReadonlyMap<string, unknown>;

async function stateOf({ core, gateway }: Ledgers, names: readonly string[]): Promise<State> {
  const state = new Map<string, unknown>();
  const named = new Set(names);
  const put = (kind: string, name: string, row: unknown): void => {
    if (named.has(name)) state.set(`${kind} ${name}`, withoutSecrets(row));
  };
  if (gateway) {
    for (const row of await listAccountsHere(gateway)) put('account here', row.accountRegNo, row);
    for (const row of await listPartners(gateway)) put('partner here', row.partnerRegNo, row);
    for (const row of await listLogins(gateway)) put('login', row.login, row);
    for (const { stamp: _, ...row } of await listOperators(gateway)) put('operator', row.operator, row);
    for (const [name, [item, other]] of await findItemsOf(gateway.ledger.read, names))
      if (item && !other) put('item', name, { item: item.item, state: item.state, reason: item.reason });
  }
  if (core) {
    for (const { profile: _, ...row } of await listAccounts(core, names)) put('account', row.accountRegNo, row);
    for (const row of await listPartnersInCore(core, names)) put('partner', row.partnerRegNo, row);
    for (const row of await listWebhooks(core)) put('webhook', row.id, row);
  }
  return state;
}

function changed(before: State, after: State): { readonly before?: object; readonly after?: object } {
  const differs = (name: string): boolean => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name));
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(differs);
  if (names.length === 0) return {};
  const of = (state: State): object => Object.fromEntries(names.map((name) => [name, state.get(name) ?? null]));
  return { before: of(before), after: of(after) };
}

/** `secret` stands for each; by default it tells whether it is another one than before, of what nobody can guess. */
function withoutSecrets(value: unknown, secret: (value: unknown) => string = digestOf): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, secret));
  if (typeof value === 'string' && isPrivateKey(value)) return SECRET;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, isSecret(name) && each !== null ? secret(each) : withoutSecrets(each, secret)]),
  );
}

/** Of what is given: a password that somebody has chosen could be guessed by its digest. */
const SECRET = 'secret';

function digestOf(secret: unknown): string {
  return `${SECRET} ${createHash('sha256').update(String(secret)).digest('hex').slice(0, DIGEST_CHARACTERS)}`;
}
