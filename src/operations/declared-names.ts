// What a declaration names must be declared in it, or be there: found out before anything is made of it.
import { AppError } from '#domain/error.ts';
import type { Declaration, DeclaredPartner } from './declaration.ts';
import type { Ledgers } from './installation.ts';
import { readKnown } from './known.ts';

/** A login or an account, and who names it. */
interface Named {
  readonly name: string;
  readonly by: string;
}

/** Throws `invalid` with every name that leads nowhere. */
export async function checkNames(on: Ledgers, declaration: Declaration): Promise<void> {
  const { core, gateway } = on;
  const { accounts = [], partners = [], logins = [] } = declaration;
  const { inCore, here, partnersHere, logins: loginsHere } = await readKnown(on);
  const knownLogins = new Set([...logins, ...loginsHere].map(({ login }) => login));
  const knownAccounts = new Set([...accounts, ...inCore, ...here].map(({ accountRegNo }) => accountRegNo));
  const children = partners.flatMap((partner) => childrenOf(partner).map((child) => ({ ...child, by: `partner ${partner.partnerRegNo}` })));
  const homes = logins.flatMap(({ login, homes: seen = [] }) => seen.map(({ accountRegNo: name }) => ({ name, by: `login ${login}` })));
  // Of a remote service's accounts a partner may name any; and a partner's number may name the home that its children have together.
  const knownHomes = new Set([...knownAccounts, ...children.map(({ name }) => name)]);
  for (const { partnerRegNo } of [...partners, ...partnersHere]) knownHomes.add(partnerRegNo);

  const asked: Named[] = [...partners.map(({ login, partnerRegNo }) => ({ login, by: `partner ${partnerRegNo}` })), ...children].flatMap(
    ({ login, by }) => (login == null ? [] : [{ name: login, by }]),
  );
  const problems = [
    ...(gateway ? lost('login', asked, knownLogins) : []),
    ...lost('account', core ? children : [], knownAccounts),
    ...lost('account', homes, knownHomes),
  ];
  if (problems.length > 0)
    throw new AppError('invalid', `It cannot be applied, and nothing was made of it:${[...new Set(problems)].join('')}`);
}

function childrenOf({ accounts = [] }: DeclaredPartner): { readonly name: string; readonly login?: string | null }[] {
  return accounts.map((child) => (typeof child === 'string' ? { name: child } : { ...child, name: child.accountRegNo }));
}

function lost(what: string, names: readonly Named[], known: ReadonlySet<string>): string[] {
  return names
    .filter(({ name }) => !known.has(name))
    .map(({ name, by }) => `\n  ${what} ${name}, which ${by} names, is neither declared nor there`);
}
