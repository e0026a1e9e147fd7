// The words that `serve --demo` prints: who is there, and what to try.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shownPath } from '#gateway/disk/paths.ts';
import { usualFile } from '#runtime/config/file.ts';
import { BUYER, type DemoAccount, type DemoSecrets, SELLER } from './demo-accounts.ts';

interface Surroundings {
  readonly data: string;
  readonly sftpPort: number;
  readonly coreUrl: string;
  /** Null where there is no page. */
  readonly adminUrl: string | null;
  readonly knownHosts: string;
  /** The configuration in force: commands that would not find it by themselves are told. */
  readonly file: string | null;
}

/** A Peppol BIS Billing invoice from the seller to the buyer. */
export const SAMPLE_INVOICE = fileURLToPath(new URL('../../test/fixtures/invoice.xml', import.meta.url));

/** `made`: null when there were accounts already; their secrets cannot be shown again. */
export function demoGuide({ data, sftpPort, coreUrl, adminUrl, knownHosts, file }: Surroundings, made: DemoSecrets | null): string {
  const here = (path: string): string => relative(process.cwd(), path) || '.';
  const home = (accountRegNo: string, folder: string): string => here(shownPath(data, accountRegNo, folder));
  const buyerKey = made?.accounts.find(({ accountRegNo }) => accountRegNo === BUYER.accountRegNo)?.apiKey ?? 'API_KEY';
  return `
${made ? `Dropgate runs, with a seller and a buyer to try it with. ${demoSecrets(made)}` : earlierAccounts(file)}

Send an invoice from the seller to the buyer (in another terminal, from this folder):

  echo 'put ${here(SAMPLE_INVOICE)} inbox/' | sftp -P ${sftpPort} -o UserKnownHostsFile=${here(knownHosts)} ${SELLER.accountRegNo}@127.0.0.1

See what became of it:

  cat ${home(SELLER.accountRegNo, 'receipts')}/*
  ls ${home(BUYER.accountRegNo, 'outbox')}
  curl -H 'Authorization: ApiKey ${buyerKey}' ${coreUrl}/transaction/${BUYER.accountRegNo}/invoices/incoming
${adminUrl === null ? '' : `\n  ${adminUrl}   the page, for a browser${made?.operator ? `: operator ${made.operator.operator}, with the password above` : ''}\n`}
Ctrl-C stops it.
`;
}

export function demoSecrets({ accounts, operator }: DemoSecrets): string {
  const page = operator
    ? [`  ${operator.operator.padEnd(6)}  operator   ${operator.operator.padEnd(6)}  password ${operator.password}  for the page`]
    : [];
  return `Shown this once:\n\n${[...accounts.map(shown), ...page].join('\n')}`;
}

function shown({ accountRegNo, password, apiKey }: DemoAccount): string {
  return `  ${accountRegNo.padEnd(6)}  SFTP login ${accountRegNo.padEnd(6)}  password ${password}  API key ${apiKey}`;
}

function earlierAccounts(file: string | null): string {
  const config = file === null || file === usualFile() ? '' : ` --config ${file}`;
  return `Dropgate runs. Its accounts are there since an earlier start, and their secrets cannot be shown again; but you can have new ones:

  all accounts:    npx dropgate account list${config}
  a new password:  npx dropgate login set-password ${SELLER.accountRegNo}${config}
  a new API key:   npx dropgate account rotate-key ${BUYER.accountRegNo}${config}`;
}
