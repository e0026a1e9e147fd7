// Operations on the archive: whose documents it holds, and whether it is as it was when its days were closed.
import { Type } from 'typebox';
import { AppError } from '#domain/error.ts';
import { pageOf } from '#domain/name-page.ts';
import { readEnds } from '#gateway/archive/chain.ts';
import { archivedAccounts, daysOf } from '#gateway/archive/places.ts';
import { verifyArchive } from '#gateway/archive/verify.ts';
import { Count, Listed, TextOrNull } from './forms.ts';
import { gatewayOf, type Ledgers } from './installation.ts';
import { accountHere, accountInCore } from './known.ts';
import { operation } from './operation.ts';

export const archiveList = operation(
  Listed,
  Type.Array(
    Type.Object({
      accountRegNo: Type.String(),
      /** Days that are there, the first and the last of them. */
      days: Count,
      first: TextOrNull,
      last: TextOrNull,
      /** The last day that was closed. */
      closed: TextOrNull,
    }),
  ),
  async (on, { page }) => {
    const { data } = gatewayOf(on);
    const accounts = await archivedAccounts(data);
    const shown = page ? pageOf(accounts, page, (accountRegNo) => accountRegNo) : accounts;
    const rows = [];
    for (const accountRegNo of shown) {
      const days = await daysOf(data, accountRegNo);
      const closed = readEnds(data, accountRegNo).closed?.day ?? null;
      rows.push({ accountRegNo, days: days.length, first: days[0] ?? null, last: days.at(-1) ?? null, closed });
    }
    return rows;
  },
);

const Difference = Type.Object({
  accountRegNo: Type.String(),
  day: Type.String(),
  /** Null where it is the whole day. */
  file: TextOrNull,
  /** `no-chain`, `no-key`: of the last closed day, where `keys/archive/ACCOUNT.json` or `keys/archive.key` is not there. */
  problem: Type.Enum(['changed', 'removed', 'added', 'no-chain', 'no-key']),
});

export const archiveVerify = operation(
  Type.Object({ accountRegNo: Type.Optional(Type.String()) }),
  Type.Object({ accounts: Count, days: Count, files: Count, differences: Type.Array(Difference) }),
  async (on, { accountRegNo: asked }) => {
    const { data } = gatewayOf(on);
    const accounts = (await archivedAccounts(data)).filter((accountRegNo) => asked === undefined || accountRegNo === asked);
    if (asked !== undefined && accounts.length === 0) await mustBeKnown(on, asked);
    const sum = { accounts: accounts.length, days: 0, files: 0 };
    const differences = [];
    for (const [at, accountRegNo] of accounts.entries()) {
      const account = `account ${at + 1} of ${accounts.length}`;
      on.progress(account);
      const verified = await verifyArchive(data, accountRegNo, (day, days) => on.progress(`${account}, day ${day} of ${days}`));
      sum.days += verified.days;
      sum.files += verified.files;
      differences.push(...verified.differences);
    }
    return { ...sum, differences };
  },
);

/** Throws `missing`. */
async function mustBeKnown(on: Ledgers, accountRegNo: string): Promise<void> {
  const known = (await accountHere(on, accountRegNo)) ?? (await accountInCore(on, accountRegNo));
  if (!known) throw new AppError('missing', `There is no account ${accountRegNo}.`);
}
