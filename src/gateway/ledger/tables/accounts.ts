// Accounts, partners and logins; participants and their names; who did not get in.
import type { ReceiptForm } from '#domain/receipt-forms.ts';
import { blob, integer, nullable, preset, text } from '#engines/schema.ts';

export const accountsAndLogins = {
  accounts: {
    columns: {
      account_reg_no: text(),
      /** The service's API key for this account, sealed by the key file (seal.ts); null where its partner speaks for it. */
      service_key: nullable(blob()),
      /** The partner by whose tokens the gateway acts for it; null: by a key of its own. */
      partner_reg_no: nullable(text()),
      /** Whose folders it has: its own, or those of the partner's children together. */
      home: text(),
      /** The partner may act for it no more, since then. */
      unlinked_at: nullable(integer()),
      receipts: nullable(text<ReceiptForm>()),
      disabled_at: nullable(integer()),
      created_at: integer(),
      /** 1: our listener for hints is to be registered at the service. */
      hints: preset(integer(), 0),
      /** JSON: how documents are received for it (receiving.ts). */
      receiving: preset(text(), '{}'),
      /** Who judges its documents before they are sent: we, or the service alone; null: as the settings say. */
      validate: nullable(text<'local' | 'core'>()),
      /** When it is told of a receiver that is certainly not registered; null: after many tries. */
      unreachable: nullable(text<'at-once'>()),
      /** `daily`: it gets a reconciliation file for each day. */
      reconciliation: nullable(text<'daily'>()),
      /** Whether repairs of its refused documents are suggested; null: they are not. */
      repair: nullable(text<'suggest'>()),
      /** JSON: for how long is kept what has ended (keeping.ts). */
      keep: preset(text(), '{}'),
    },
    primaryKey: '(account_reg_no)',
  },
  partners: {
    columns: {
      partner_reg_no: text(),
      /** The partner's API key at the service, sealed by the key file. */
      service_key: blob(),
      /** 1: one home for all its children. */
      consolidated: integer(),
      /** The login that sees its children's folders, or its one home. */
      login: nullable(text()),
      created_at: integer(),
    },
    primaryKey: '(partner_reg_no)',
  },
  /** Whose documents are sent from which address: as far as an administrator, or the core beside us, has said. */
  participants: {
    columns: { participant: text(), account_reg_no: text() },
    primaryKey: '(participant)',
    indexes: { participants_account: '(account_reg_no)' },
  },
  /** Accounts for which our listener is registered at the service. */
  hints: {
    columns: { account_reg_no: text(), secret_sha256: text(), webhook_id: nullable(text()) },
    primaryKey: '(account_reg_no)',
  },
  logins: {
    columns: {
      login: text(),
      password_hash: nullable(text()),
      disabled_at: nullable(integer()),
      created_at: integer(),
      /** JSON: what it is held to (login-rules.ts). */
      rules: preset(text(), '{}'),
    },
    primaryKey: '(login)',
  },
  login_keys: { columns: { login: text(), public_key: text() }, primaryKey: '(login, public_key)' },
  login_homes: {
    columns: { login: text(), home: text(), folder: text() },
    primaryKey: '(login, home)',
    // ASCII, as names of folders are (domain/account.ts), so that lower() knows every letter.
    uniques: { login_homes_folder: '(login, lower(folder))' },
  },
  /** How files are dropped into the folders of a home, where that is not as everywhere. */
  drop_rules: {
    columns: {
      home: text(),
      /** The form of the files that say that a document is complete (done-file.ts). */
      done_file: text(),
    },
    primaryKey: '(home)',
  },
  /** One row: moves with every change of accounts and logins, so that a running daemon notices. */
  revisions: { columns: { name: text(), revision: integer() }, primaryKey: '(name)' },
  /** Addresses and logins that did not get in lately; a bounded number of rows. */
  rejects: {
    columns: {
      address: text(),
      /** '' when the client has not named one. */
      login: text(),
      at: integer(),
      times: integer(),
      reason: text(),
      client: text(),
      /** JSON: the algorithms that it offered. */
      offer: nullable(text()),
      explanation: text(),
    },
    primaryKey: '(address, login)',
    indexes: { rejects_at: '(at)' },
  },
} as const;

/** Participants of all documents that were read here, with the names that documents gave them; '' without one. */
export const parties = {
  parties: {
    columns: { participant: text(), name: text() },
    primaryKey: '(participant, name)',
    // The value without its scheme of four digits.
    indexes: { parties_value: '(substr(participant, 6))', parties_name: '(lower(name))' },
  },
} as const;
