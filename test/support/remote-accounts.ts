// Accounts of a core in a gateway in front of it: with their keys and their logins, by the command for files of accounts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { DaemonAccount, TestDaemon } from './daemon.ts';
import { PASSWORD_HASH } from './sftp-server.ts';

/** Each login has the password of all test servers. */
export async function addRemoteAccounts(
  gateway: Pick<TestDaemon, 'cli' | 'folder'>,
  core: Pick<TestDaemon, 'apiKey'>,
  accounts: readonly Pick<DaemonAccount, 'accountRegNo' | 'login'>[],
): Promise<void> {
  const keyFile = (accountRegNo: string): string => join(gateway.folder, `${accountRegNo}.key`);
  for (const { accountRegNo } of accounts) writeFileSync(keyFile(accountRegNo), core.apiKey(accountRegNo));
  const declared = join(gateway.folder, 'remote-accounts.yaml');
  const homesOf = (accountRegNo: string) => [{ accountRegNo }];
  writeFileSync(
    declared,
    stringify({
      accounts: accounts.map(({ accountRegNo }) => ({ accountRegNo, home: { key: 'own', apiKey: { file: keyFile(accountRegNo) } } })),
      logins: accounts.flatMap(({ accountRegNo, login }) =>
        login ? [{ login, passwordHash: PASSWORD_HASH, homes: homesOf(accountRegNo) }] : [],
      ),
    }),
  );
  const { status, err } = await gateway.cli(['apply', declared]);
  if (status !== 0) throw new Error(`the accounts could not be made: ${err}`);
}
