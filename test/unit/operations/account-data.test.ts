import { expect, it } from 'vitest';
import * as core from '#core/ledger/account-data.ts';
import { coreSchema } from '#core/ledger/schema.ts';
import type { Table } from '#engines/schema.ts';
import * as gateway from '#gateway/ledger/account-data.ts';
import { gatewaySchema } from '#gateway/ledger/schema.ts';

/** Columns that name an account, its home or its participants. */
const NAMING = ['account_reg_no', 'home', 'owner', 'participant'];

interface Erased {
  readonly tables: Readonly<Record<string, Table>>;
  /** Whose rows it deletes by such a column. */
  readonly whole: readonly string[];
  /** Whose rows go otherwise. */
  readonly otherwise: readonly string[];
}

const LEDGERS: Readonly<Record<string, Erased>> = {
  gateway: {
    tables: gatewaySchema.tables,
    whole: [...gateway.OF_ACCOUNT, ...gateway.OF_HOME],
    otherwise: [
      // Some at a time.
      ...['documents', 'items', 'publications'],
      // By owner; and names that no document has any more.
      ...['reconciliations', 'parties'],
      // With the account itself (removeAccount).
      ...['accounts', 'drop_rules', 'login_homes'],
      // By the process that works on the home, when the account is gone.
      'homes_in_hand',
    ],
  },
  core: {
    tables: coreSchema.tables,
    whole: [...core.OF_ACCOUNT, ...core.OF_PARTICIPANT],
    otherwise: [
      // Some at a time.
      ...['messages', 'transmissions'],
      // By deleteWebhooksOf, deleteKeys and deleteAccount.
      ...['webhooks', 'api_keys', 'partner_links', 'participants', 'accounts'],
    ],
  },
};

it.each(Object.entries(LEDGERS))('an erasure leaves no row of the %s that names the account', (_, { tables, whole, otherwise }) => {
  const naming = Object.entries(tables).filter(([, { columns }]) => NAMING.some((column) => column in columns));
  expect([...whole, ...otherwise].sort()).toEqual(naming.map(([name]) => name).sort());
});
