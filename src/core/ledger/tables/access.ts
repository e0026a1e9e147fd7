// Accounts, participants and partners, and by what they prove themselves.
import { STRICT } from '#domain/validation.ts';
import { blob, integer, nullable, preset, refers, text } from '#engines/schema.ts';

export const ofAccount = () => refers(text(), 'accounts (account_reg_no)');
const ofPartner = () => refers(text(), 'partners (partner_reg_no)');

export const access = {
  accounts: {
    columns: {
      account_reg_no: text(),
      name: text(),
      enabled: integer(),
      /** Features. Without `apiIntegration` the account's own credentials get 403 on the transaction endpoints. */
      api_integration: integer(),
      sftp_integration: preset(integer(), 1),
      capture: preset(integer(), 0),
      /** Requests per window; null is what every account may spend. */
      requests_max: nullable(integer()),
      /** The company's profile, as JSON. */
      profile: preset(text(), '{}'),
      /** How strictly its documents are judged: see domain/validation. */
      validation_severity: preset(text(), STRICT.severity),
      validation_profiles: preset(text(), STRICT.profiles),
      validation_verify: preset(text(), STRICT.verify),
      /** For how long its messages are kept; null: as the settings say; 0: for ever. */
      keep_messages: nullable(integer()),
      created_at: integer(),
    },
    primaryKey: '(account_reg_no)',
  },
  participants: { columns: { participant: text(), account_reg_no: ofAccount() }, primaryKey: '(participant)' },
  partners: {
    columns: {
      partner_reg_no: text(),
      name: text(),
      enabled: integer(),
      created_at: integer(),
      /** Requests per window of all its tokens together; null is the usual budget. */
      requests_max: nullable(integer()),
      /** Accounts that it may have made or been linked to before it may make no more; null is the usual number. */
      children_max: nullable(integer()),
    },
    primaryKey: '(partner_reg_no)',
  },
  /** A partner's children, and a child's partners. */
  partner_links: {
    columns: { partner_reg_no: ofPartner(), account_reg_no: ofAccount() },
    primaryKey: '(partner_reg_no, account_reg_no)',
    indexes: { partner_links_of: '(account_reg_no)' },
  },
  api_keys: {
    columns: {
      /** By which tokens name it; random, so that a restored ledger never gives it to another key. */
      key_id: text(),
      /** SHA-256 of the key, hex. The key itself is nowhere. */
      sha256: text(),
      account_reg_no: nullable(ofAccount()),
      partner_reg_no: nullable(ofPartner()),
      scope: text(),
      created_at: integer(),
      expires_at: nullable(integer()),
    },
    primaryKey: '(sha256)',
    uniques: { api_keys_id: '(key_id)' },
  },
  /** Ed25519 keys that sign tokens: the public half as RFC 8037 writes it, the private one sealed. */
  signing_keys: {
    columns: { kid: text(), x: text(), sealed: blob(), created_at: integer(), retired_at: nullable(integer()) },
    primaryKey: '(kid)',
  },
} as const;
