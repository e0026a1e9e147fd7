// The operation that tells what was exchanged in a month: what partners bill by.
import { type Static, Type } from 'typebox';
import { type EndUser, readEndUsers, readExchanged, readPartnersOf } from '#core/ledger/usage.ts';
import { countryOfScheme } from '#domain/schemes.ts';
import { Count, TextOrNull } from './forms.ts';
import { coreOf } from './installation.ts';
import { operation } from './operation.ts';

const MONTH = '^[0-9]{4}-(0[1-9]|1[0-2])$';

const Row = Type.Object({
  /** Null for an account that no partner acts for. */
  partnerRegNo: TextOrNull,
  accountRegNo: Type.String(),
  direction: Type.Enum(['sent', 'received']),
  family: Type.String(),
  /** Of the receiver, by the scheme of its address; null where that is of no country. */
  country: TextOrNull,
  documents: Count,
});
/** Addresses of the accounts of a partner that sent or received something. */
const Users = Type.Object({ partnerRegNo: TextOrNull, endUsers: Count });

export const usage = operation(
  Type.Object({ month: Type.String({ pattern: MONTH }) }),
  Type.Object({ month: Type.String(), documents: Type.Array(Row), endUsers: Type.Array(Users) }),
  async (on, { month }) => {
    const { ledger } = coreOf(on);
    const [fromMs, toMs] = boundsOf(month);
    const [exchanged, users, partners] = [
      await readExchanged(ledger, fromMs, toMs),
      await readEndUsers(ledger, fromMs, toMs),
      await readPartnersOf(ledger),
    ];
    const partnersOf = (accountRegNo: string): readonly (string | null)[] => partners.get(accountRegNo) ?? [null];
    const documents = exchanged.flatMap(({ accountRegNo, direction, family, scheme, documents: count }) =>
      partnersOf(accountRegNo).map((partnerRegNo): Static<typeof Row> => {
        const country = countryOfScheme(scheme);
        return { partnerRegNo, accountRegNo, direction: direction === 'outgoing' ? 'sent' : 'received', family, country, documents: count };
      }),
    );
    return { month, documents: summed(documents), endUsers: countUsers(users, partnersOf) };
  },
);

/** UTC, as the ledger's times. */
function boundsOf(month: string): [fromMs: number, toMs: number] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return [Date.UTC(year, number - 1), Date.UTC(year, number)];
}

/** Schemes of one country count together. Those without a partner come last. */
function summed(rows: readonly Static<typeof Row>[]): Static<typeof Row>[] {
  const sums = new Map<string, Static<typeof Row>>();
  for (const { documents, ...row } of rows) {
    const key = JSON.stringify(row);
    sums.set(key, { ...row, documents: documents + (sums.get(key)?.documents ?? 0) });
  }
  return [...sums.values()].sort((a, b) => byPartner(a.partnerRegNo, b.partnerRegNo));
}

function countUsers(users: readonly EndUser[], partnersOf: (accountRegNo: string) => readonly (string | null)[]): Static<typeof Users>[] {
  const counted = Map.groupBy(
    users.flatMap(({ accountRegNo, participant }) => partnersOf(accountRegNo).map((partnerRegNo) => ({ partnerRegNo, participant }))),
    ({ partnerRegNo }) => partnerRegNo,
  );
  return [...counted]
    .map(([partnerRegNo, found]) => ({ partnerRegNo, endUsers: new Set(found.map(({ participant }) => participant)).size }))
    .sort((a, b) => byPartner(a.partnerRegNo, b.partnerRegNo));
}

function byPartner(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
}
