// Daily reconciliation files (publish/reconcile.ts); an owner is `account NUMBER` or `login NAME`.
import { integer, nullable, text } from '#engines/schema.ts';

export const reconciling = {
  /** The last day of each owner for which all is done. */
  reconciliations: {
    columns: {
      owner: text(),
      day: text(),
      /** When that day ended: the next one begins there, whatever becomes of the time zone meanwhile. */
      until_at: integer(),
      /** Documents up to this sequence came before then. */
      sequence: integer(),
      /** Of its file; null of the day before the first file. */
      sha256: nullable(text()),
    },
    primaryKey: '(owner)',
  },
  /** What was open at the end of that day, and is carried into the next one; rows of any other day are left from work that broke off. */
  reconciliation_open: {
    columns: {
      owner: text(),
      day: text(),
      direction: text<'sent' | 'received'>(),
      account_reg_no: text(),
      /** An item; or a publication, as text. */
      subject: text(),
    },
    primaryKey: '(owner, day, direction, subject)',
  },
} as const;
