// Operations on the archive: whether it is as it was when its days were closed.
import { Type } from 'typebox';
import { archivedAccounts } from '#gateway/archive/places.ts';
import { verifyArchive } from '#gateway/archive/verify.ts';
import { Count, TextOrNull } from './forms.ts';
import { gatewayOf } from './installation.ts';
import { operation } from './operation.ts';

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
    const sum = { accounts: accounts.length, days: 0, files: 0 };
    const differences = [];
    for (const [at, accountRegNo] of accounts.entries()) {
      on.progress(`account ${at + 1} of ${accounts.length}`);
      const verified = await verifyArchive(data, accountRegNo);
      sum.days += verified.days;
      sum.files += verified.files;
      differences.push(...verified.differences);
    }
    on.progress('');
    return { ...sum, differences };
  },
);
