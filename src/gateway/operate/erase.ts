// An account leaves the gateway with everything that is its own, in the ledger and on disk; digests of what it sent stay.
import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { inGroups } from '#domain/groups.ts';
import { endsPath } from '#gateway/archive/chain.ts';
import { archiveFolder } from '#gateway/archive/places.ts';
import { arrivingFolder, discard, homeFolder, spoolFolder } from '#gateway/disk/paths.ts';
import { readIncarnations, spooledPath } from '#gateway/disk/spool-files.ts';
import { hasHome, removeHome } from '#gateway/disk/whole-home.ts';
import { eraseDocuments, eraseFiles, eraseItems, eraseRest, type ReceivedFile, readFilesOf } from '#gateway/ledger/account-data.ts';
import { readAccount, readAccounts } from '#gateway/ledger/accounts.ts';
import { countItems, readItems } from '#gateway/ledger/items.ts';
import { itemPages } from '#gateway/ledger/searches.ts';
import { toByteName } from '#gateway/model/intake.ts';
import { removeDurable } from '#runtime/files/durable.ts';
import { ifThere } from '#runtime/files/held-folder.ts';
import { removeAccount } from './accounts.ts';
import type { Administration } from './administration.ts';

interface ErasureHere {
  readonly home: string;
  /** Its home is not that of several accounts. */
  readonly isOwnHome: boolean;
  readonly items: number;
  readonly held: number;
}

/** What would go; null where there is no such account, and no folder of its name. Throws `forbidden` for one that is served, and `quota` while files wait. */
export async function foreseeErasureHere({ ledger: { read }, data }: Administration, accountRegNo: string): Promise<ErasureHere | null> {
  const account = await readAccount(read, accountRegNo);
  if (!account && !hasHome(data, accountRegNo) && !existsSync(archiveFolder(data, accountRegNo))) return null;
  if (account && !account.disabled) {
    throw new AppError('forbidden', `Account ${accountRegNo} is served: disable it first ('dropgate account disable ${accountRegNo}').`);
  }
  if ((await countItems(read, accountRegNo, 'pending')) > 0) {
    throw new AppError(
      'quota',
      `Account ${accountRegNo} still has files that wait for the service: cancel them, or erase it when they are done.`,
    );
  }
  const home = account?.home ?? accountRegNo;
  const isOwnHome =
    home === accountRegNo && !(await readAccounts(read)).some((other) => other.accountRegNo !== accountRegNo && other.home === home);
  let items = 0;
  for await (const page of itemPages(read, accountRegNo)) items += page.length;
  return { home, isOwnHome, items, held: await countItems(read, accountRegNo, 'held') };
}

/** A few rows in each commit; begun again it goes on. What it removes from disk does not return. The ledger is not wiped. */
export async function eraseHere(
  on: Administration,
  accountRegNo: string,
  { home, isOwnHome }: ErasureHere,
  progress: (text: string) => void,
): Promise<void> {
  const { ledger, data, check } = on;
  const count = { items: 0, files: 0, documents: 0 };
  const scopes = [`home ${home}`, `account ${accountRegNo}`] as const;
  for await (const page of itemPages(ledger.read, accountRegNo)) {
    for (const some of inGroups(page, AT_ONCE)) {
      // Held ones still have their files in the spool, and a file without a row would be sent.
      await removeDurable(
        [...(await readItems(ledger.read, some)).values()].map((item) => join(data, spooledPath(item))),
        check,
      );
      await ledger.write(scopes, (rows) => eraseItems(rows, accountRegNo, home, some));
      count.items += some.length;
      progress(`${counted(count.items, 'dropped file')} erased`);
    }
  }
  for (;;) {
    const files = await readFilesOf(ledger.read, accountRegNo, 0);
    if (files.length === 0) break;
    check?.();
    removeFiles(data, files);
    const publications = files.map(({ publication }) => publication);
    await ledger.write(scopes, (rows) => eraseFiles(rows, publications));
    count.files += files.length;
    progress(`${counted(count.files, 'file of its home', 'files of its home')} erased`);
  }
  for (let erased = -1; erased !== 0; ) {
    erased = await ledger.write(scopes, (rows) => eraseDocuments(rows, accountRegNo));
    count.documents += erased;
    progress(`${counted(count.documents, 'received document')} erased`);
  }
  await ledger.write(scopes, (rows) => eraseRest(rows, accountRegNo, isOwnHome));
  if (isOwnHome) {
    await removeHome(data, home, check);
    await removeDurable([spoolFolder(data, home)], check);
    await removeArriving(data, home, check);
  }
  await removeAccount(on, accountRegNo);
}

/** The folders for its uploads that processes have made. What is not empty goes when its uploads have ended. */
async function removeArriving(data: string, home: string, check: Administration['check']): Promise<void> {
  for (const incarnation of await readIncarnations(data)) {
    check?.();
    await rmdir(arrivingFolder(data, incarnation, home)).catch(() => undefined);
  }
}

/** From the homes, durably. */
function removeFiles(data: string, files: readonly ReceivedFile[]): void {
  for (const inFolder of Map.groupBy(files, ({ home, folder }) => `${home}/${folder}`).values()) {
    const [{ home, folder } = { home: '', folder: '' }] = inFolder;
    ifThere(homeFolder(data, home), [folder], (held) => {
      for (const { name } of inFolder) discard(held.path(toByteName(name)));
      held.sync();
    });
  }
}

/** Copies of its documents, where that is wanted as well. The folder goes last: by it the account is known to be not wholly erased. */
export async function eraseArchive({ data, check }: Pick<Administration, 'data' | 'check'>, accountRegNo: string): Promise<void> {
  await removeDurable([endsPath(data, accountRegNo)], check);
  await removeDurable([archiveFolder(data, accountRegNo)], check);
}

const AT_ONCE = 50;
