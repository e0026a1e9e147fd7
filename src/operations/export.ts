// The operation that tells accounts, partners and logins in the form that `apply` reads.
import { Type } from 'typebox';
import type { AccountHere } from '#gateway/operate/account-rules.ts';
import { Declaration, type DeclaredAccount, type DeclaredLogin } from './declaration.ts';
import { declaredPartners } from './declared-partners.ts';
import { toldKeeping } from './keeping-words.ts';
import { type Known, numbersOf, readKnown } from './known.ts';
import { operation } from './operation.ts';
import { toldReceiving } from './receiving-words.ts';

/** Password hashes are in it, API keys are not. */
export const exportAll = operation(Type.Object({}), Declaration, async (on) => {
  const known = await readKnown(on);
  return { accounts: declaredAccounts(known), partners: declaredPartners(known, on.core !== null), logins: declaredLogins(known) };
});

function declaredAccounts({ inCore, here }: Known): DeclaredAccount[] {
  const all = numbersOf('accountRegNo', inCore, here).map((accountRegNo): DeclaredAccount => {
    const ofCore = inCore.find((each) => each.accountRegNo === accountRegNo);
    const ofGateway = here.find((each) => each.accountRegNo === accountRegNo);
    const home = ofGateway && declaredHome(ofGateway);
    const keep = toldKeeping(ofGateway?.keep ?? {}, ofCore?.keepMessages ?? null);
    return {
      accountRegNo,
      ...(ofCore && {
        name: ofCore.name,
        participants: [...ofCore.participants],
        features: ofCore.features,
        ...(ofCore.requestsMax !== null && { requests: ofCore.requestsMax }),
        validation: ofCore.validation,
        ...(Object.keys(ofCore.profile).length > 0 && { profile: ofCore.profile }),
      }),
      ...((ofCore?.enabled === false || ofGateway?.disabled) && { enabled: false }),
      ...(keep && { keep }),
      ...(home && { home }),
    };
  });
  // Children of whom nothing is said here are told by their partner.
  return all.filter((account) => Object.keys(account).length > 1);
}

function declaredHome({ ownKey, receipts, hints, doneFile, receiving, ...here }: AccountHere): DeclaredAccount['home'] {
  const { validate, unreachable, reconciliation, repair } = here;
  const rules = toldReceiving(receiving);
  const said = {
    ...(receipts !== null && { receipts }),
    ...(hints && { hints }),
    ...(validate !== null && { validate }),
    ...(unreachable !== null && { unreachable }),
    ...(reconciliation !== null && { reconciliation }),
    ...(repair !== null && { repair }),
    ...(doneFile !== null && { doneFile }),
    ...(Object.keys(rules).length > 0 && { receiving: rules }),
  };
  if (ownKey) return { key: 'own', ...said };
  return Object.keys(said).length === 0 ? undefined : { key: 'partner', ...said };
}

function declaredLogins({ logins, partnersHere: partners }: Known): DeclaredLogin[] {
  return logins.map(({ login, passwordHash, disabled, publicKeys, homes, rules }) => {
    // What its partner declares need not be said twice.
    const told = new Set(
      partners
        .filter((partner) => partner.login === login)
        .flatMap(({ partnerRegNo, children }) => [partnerRegNo, ...children.map(({ accountRegNo }) => accountRegNo)]),
    );
    return {
      login,
      ...(disabled && { enabled: false }),
      ...(passwordHash !== null && { passwordHash }),
      publicKeys: [...publicKeys],
      homes: homes.filter(({ home }) => !told.has(home)).map(({ home, folder }) => ({ accountRegNo: home, folder })),
      ...(Object.keys(rules).length > 0 && { rules }),
    };
  });
}
