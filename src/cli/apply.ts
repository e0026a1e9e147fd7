// `dropgate apply`: makes what a file declares and is not there yet. Nothing is removed, and doing it again changes nothing.
import { toAppError } from '#domain/error.ts';
import type { Declaration } from '#operations/declaration.ts';
import type { GivenKeys } from '#operations/given-keys.ts';
import { secretIn } from '#runtime/config/file.ts';
import { tellDoubts } from './address-doubts.ts';
import type { AddCommand } from './commands.ts';
import { readDeclaration } from './declaration-file.ts';
import { statusOf } from './exit-status.ts';

export const addApply: AddCommand = (commands) => {
  const { terminal } = commands;
  commands.asks(
    'apply <file>',
    'apply',
    async (file: string) => {
      const declaration = readDeclaration(file);
      await tellDoubts(terminal, participantsIn(declaration));
      return { declaration, keys: keysIn(declaration) };
    },
    ({ keys, made, failed }, { data }) => {
      for (const key of keys) terminal.print(`${'accountRegNo' in key ? key.accountRegNo : key.partnerRegNo}\t${key.apiKey}`);
      if (made.length > 0) terminal.print(`Made in ${data}: ${made.join(', ')}.`);
      if (failed) terminal.complain(`dropgate: ${failed.message}`);
    },
    { needs: 'file or ledgers', status: ({ failed }) => (failed ? statusOf(failed.code) : 0) },
  );
};

function participantsIn({ accounts = [], partners = [] }: Declaration): string[] {
  const children = partners.flatMap((partner) => partner.accounts ?? []).filter((child) => typeof child !== 'string');
  return [...accounts, ...children].flatMap(({ participants = [] }) => participants);
}

/** From the places that the file names, in this process's environment. */
function keysIn({ accounts = [], partners = [] }: Declaration): GivenKeys {
  const ofAccounts = accounts.flatMap(({ accountRegNo, home }) =>
    home?.apiKey ? [{ accountRegNo, ...keyIn(home.apiKey, `The API key of account ${accountRegNo}`) }] : [],
  );
  const ofPartners = partners.flatMap(({ partnerRegNo, apiKey }) =>
    apiKey ? [{ partnerRegNo, ...keyIn(apiKey, `The API key of partner ${partnerRegNo}`) }] : [],
  );
  return [...ofAccounts, ...ofPartners];
}

function keyIn(place: Parameters<typeof secretIn>[0], what: string): { readonly apiKey: string } | { readonly problem: string } {
  try {
    return { apiKey: secretIn(place, what) };
  } catch (error) {
    return { problem: toAppError(error).message };
  }
}
