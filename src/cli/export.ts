// `dropgate export`: prints accounts, partners and logins as a file that `dropgate apply` reads.
import { listAccounts, listPartners } from '#core/administration.ts';
import { listLogins } from '#gateway/administration.ts';
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

async function declared({ core, gateway }: Ledgers): Promise<Declaration> {
  const [accounts, partners, logins] = await Promise.all([
    core ? listAccounts(core) : [],
    core ? listPartners(core) : [],
    gateway ? listLogins(gateway) : [],
  ]);
  return {
    accounts: accounts.map(({ accountRegNo, name, participants, features, requestsMax, validation }) => {
      const requests = requestsMax === null ? {} : { requests: requestsMax };
      return { accountRegNo, name, participants: [...participants], features, ...requests, validation };
    }),
    partners: partners.map(({ partnerRegNo, name, accounts: children }) => ({ partnerRegNo, name, accounts: [...children] })),
    logins: logins.map(({ login, passwordHash, publicKeys, homes, rules }) => {
      const held = Object.keys(rules).length > 0 && { rules };
      return {
        login,
        ...(passwordHash !== null && { passwordHash }),
        publicKeys: [...publicKeys],
        homes: homes.map(({ home, folder }) => ({ accountRegNo: home, folder })),
        ...held,
      };
    }),
  };
}
