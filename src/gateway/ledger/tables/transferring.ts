// What became of files in homes, most of it by SFTP clients.
import { integer, key, nullable, text } from '#engines/schema.ts';

/** What a login does with a published file; and `expired`: it was removed from the home because its time there was over, which nobody asked for. */
export type FetchAction = 'downloaded' | 'removed' | 'renamed' | 'expired';

export const transferring = {
  /** When each login last got in. */
  last_logins: { columns: { login: text(), address: text(), at: integer() }, primaryKey: '(login)' },
  /** When a login last downloaded a document from the outbox of a home to its end. */
  last_pickups: { columns: { home: text(), login: text(), at: integer() }, primaryKey: '(home, login)' },
  /** Published files that a login has downloaded to the end, removed or renamed, or that have expired: a row for each file, login and action. */
  fetches: {
    columns: {
      publication: integer(),
      /** '' where no login did it, as is the address. */
      login: text(),
      action: text<FetchAction>(),
      /** How the file was called then, or is since. */
      name: text(),
      /** The public key by which the login came, as SHA256:…; null where it came by its password alone. */
      key: nullable(text()),
      address: text(),
      bytes: integer(),
      /** Of what was sent to the client, where that went out in order. */
      sha256: nullable(text()),
      first_at: integer(),
      last_at: integer(),
      times: integer(),
    },
    primaryKey: '(publication, login, action)',
    // Files that have another name than their publication.
    indexes: { fetches_renamed: "(name) where action = 'renamed'" },
  },
  /** Uploads that came to nothing lately: a row for each home, login and file name; a bounded number for each home. */
  failed_uploads: {
    columns: {
      upload: key(),
      home: text(),
      login: text(),
      address: text(),
      /** The name's bytes, one character per byte. */
      file_name: text(),
      /** The most that it had or would have had. */
      size: integer(),
      reason: text(),
      first_at: integer(),
      at: integer(),
      times: integer(),
    },
    uniques: { failed_uploads_file: '(home, login, file_name)' },
    indexes: { failed_uploads_home: '(home, at)', failed_uploads_at: '(at)', failed_uploads_name: '(lower(file_name))' },
  },
} as const;
