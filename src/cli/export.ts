// `dropgate export`: prints accounts, partners and logins as a file that `dropgate apply` reads.
import { listAccounts, listPartners } from '#core/administration.ts';
import { listLogins } from '#gateway/accounts/administration.ts';
import { listPartners as listPartnersHere } from '#gateway/accounts/partners.ts';
import { type AddCommand, type ConfigOptions, configOf, configured } from './command.ts';
import { type Declaration, printDeclaration } from './declaration.ts';
import { type Ledgers, withLedgers } from './ledgers.ts';

export const addExport: AddCommand = (parent, terminal) => {
  configured(parent, 'export', 'print accounts, partners and logins in the form that apply reads; API keys are not in it').action(
    async (options: ConfigOptions) => {
      const declaration = await withLedgers(configOf(options).config, declared);
      terminal.print(`# Holds password hashes: keep it as you keep the ledgers.\n${printDeclaration(declaration).trimEnd()}`);
    },
  );
};

async function declared(ledgers: Ledgers): Promise<Declaration> {
  const { core, gateway } = ledgers;
  const [accounts, partners, logins, here] = await Promise.all([
    core ? listAccounts(core) : [],
    declaredPartners(ledgers),
    gateway ? listLogins(gateway) : [],
    gateway ? listPartnersHere(gateway) : [],
  ]);
  return {
    accounts: accounts.map(({ accountRegNo, name, participants, features, requestsMax, validation }) => {
      const requests = requestsMax === null ? {} : { requests: requestsMax };
      return { accountRegNo, name, participants: [...participants], features, ...requests, validation };
    }),
    partners,
    logins: logins.map(({ login, passwordHash, publicKeys, homes, rules }) => {
      // What its partner declares need not be said twice.
      const told = new Set(
        here
          .filter((partner) => partner.login === login)
          .flatMap(({ partnerRegNo, children }) => [partnerRegNo, ...children.map(({ accountRegNo }) => accountRegNo)]),
      );
      return {
        login,
        ...(passwordHash !== null && { passwordHash }),
        publicKeys: [...publicKeys],
        homes: homes.filter(({ home }) => !told.has(home)).map(({ home, folder }) => ({ accountRegNo: home, folder })),
        ...(Object.keys(rules).length > 0 && { rules }),
      };
    }),
  };
}

type DeclaredPartner = NonNullable<Declaration['partners']>[number];

/** Of the core, of the gateway, or of both: what each knows of it. */
async function declaredPartners({ core, gateway }: Ledgers): Promise<DeclaredPartner[]> {
  const [inCore, here] = await Promise.all([core ? listPartners(core) : [], gateway ? listPartnersHere(gateway) : []]);
  const all = new Set([...inCore, ...here].map(({ partnerRegNo }) => partnerRegNo));
  return [...all].sort().map((partnerRegNo): DeclaredPartner => {
    const named = inCore.find((partner) => partner.partnerRegNo === partnerRegNo);
    const known = here.find((partner) => partner.partnerRegNo === partnerRegNo);
    const children = new Map(known?.children.filter(({ state }) => state !== 'unlinked').map((child) => [child.accountRegNo, child]));
    const accounts = named?.accounts ?? [...children.keys()];
    return {
      partnerRegNo,
      ...(named && { name: named.name }),
      ...(known?.consolidated && { consolidated: true }),
      ...(known?.login && { login: known.login }),
      accounts: accounts.map((accountRegNo) => {
        const { folder = '', participants = [] } = children.get(accountRegNo) ?? {};
        // A core beside us declares the addresses with the account.
        const addresses = core || participants.length === 0 ? {} : { participants: [...participants] };
        const said = { ...(folder !== '' && !known?.consolidated && { folder }), ...addresses };
        return Object.keys(said).length === 0 ? accountRegNo : { accountRegNo, ...said };
      }),
    };
  });
}
