// The words that `serve --demo` prints: who is there, and what to try.
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homeFolder } from '#gateway/home.ts';
import { BUYER, type DemoAccount, SELLER } from './demo-accounts.ts';

export interface Surroundings {
  readonly data: string;
  readonly sftpPort: number;
  readonly coreUrl: string;
  readonly knownHosts: string;
}

/** A Peppol BIS Billing invoice from the seller to the buyer. */
export const SAMPLE_INVOICE = fileURLToPath(new URL('../../test/fixtures/invoice.xml', import.meta.url));

/** `made`: null when the accounts are there since an earlier start; their secrets cannot be shown again. */
export function demoGuide({ data, sftpPort, coreUrl, knownHosts }: Surroundings, made: readonly DemoAccount[] | null): string {
  const here = (path: string): string => relative(process.cwd(), path) || '.';
  const home = (accountRegNo: string, folder: string): string => here(join(homeFolder(data, accountRegNo), folder));
  const buyerKey = made?.find(({ accountRegNo }) => accountRegNo === BUYER.accountRegNo)?.apiKey ?? 'API_KEY';
  return `
Dropgate runs, with a seller and a buyer to try it with. ${made ? 'Shown this once:' : 'They are there since an earlier start:'}

${made ? made.map(shown).join('\n') : forgotten()}

Send an invoice from the seller to the buyer (in another terminal, from this folder):

  echo 'put ${here(SAMPLE_INVOICE)} inbox/' | sftp -P ${sftpPort} -o UserKnownHostsFile=${here(knownHosts)} ${SELLER.accountRegNo}@127.0.0.1

See what became of it:

  cat ${home(SELLER.accountRegNo, 'receipts')}/*
  ls ${home(BUYER.accountRegNo, 'outbox')}
  curl -H 'Authorization: ApiKey ${buyerKey}' ${coreUrl}/transaction/${BUYER.accountRegNo}/invoices/incoming

Ctrl-C stops it.
`;
}

function shown({ accountRegNo, password, apiKey }: DemoAccount): string {
  return `  ${accountRegNo.padEnd(6)}  SFTP login ${accountRegNo.padEnd(6)}  password ${password}  API key ${apiKey}`;
}

function forgotten(): string {
  return `  a new password:  npx dropgate login set-password ${SELLER.accountRegNo}
  a new API key:   npx dropgate account rotate-key ${BUYER.accountRegNo}`;
}
