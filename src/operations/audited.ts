// What a person has ordered is written down: who, what, and what it has changed of the accounts, logins, operators, partners, items and
// subscriptions that it names.
import { selectPartners } from '#core/ledger/partners.ts';
import { listAccounts } from '#core/operate/administration.ts';
import { listWebhooks } from '#core/operate/webhooks.ts';
import { readLogins } from '#gateway/ledger/logins.ts';
import { readOperators } from '#gateway/ledger/operators.ts';
import { findItemsOf } from '#gateway/ledger/searches.ts';
import { listAccountsHere } from '#gateway/operate/account-rules.ts';
import { listPartners } from '#gateway/operate/partners.ts';
import type { Seal } from '#runtime/seal.ts';
import type { Ledgers } from './installation.ts';
import { SECRET, withoutSecrets, writtenDown } from './written-down.ts';

interface AuditParts extends Ledgers {
  readonly config: { readonly data: string };
  readonly seal: Seal;
  /** The user of the operating system who orders it. */
  readonly caller: string;
}

/** So many names of what an act is given are looked up. */
const NAMES_MAX = 10_000;

/** Does the work and writes it down (written-down.ts) with what it has changed. Throws what the work throws, and what the disk throws. */
export async function audited<Result>(on: AuditParts, what: string, given: unknown, work: () => Promise<Result>): Promise<Result> {
  const names = namesIn(withoutSecrets(given, () => SECRET));
  const before = await stateOf(on, names);
  const act = { who: on.caller, what, given };
  return writtenDown({ data: on.config.data, seal: () => on.seal }, act, work, async () => changed(before, await stateOf(on, names)));
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
    for (const row of await readLogins(gateway.ledger.read)) put('login', row.login, row);
    for (const { stamp: _, totpSalt, totpStep: __, ...row } of await readOperators(gateway.ledger.read))
      put('operator', row.operator, { ...row, totp: totpSalt !== null });
    // Names of accounts may have the form of an item's letters, and of many of them all items are read through.
    for (const [name, [item, other]] of await findItemsOf(gateway.ledger.scan, names))
      if (item && !other) put('item', name, { item: item.item, state: item.state, reason: item.reason });
  }
  if (core) {
    for (const { profile: _, ...row } of await listAccounts(core, names)) put('account', row.accountRegNo, row);
    for (const row of await selectPartners(core.ledger.read, names)) put('partner', row.partnerRegNo, row);
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
