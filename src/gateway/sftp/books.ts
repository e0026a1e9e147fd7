// What the SFTP server leaves in the ledger for those who look for it afterwards, and what of it counts as one.
import { type FailedUpload, keepFailedUpload } from '#gateway/ledger/failed-uploads.ts';
import { type Fetch, keepFetch } from '#gateway/ledger/fetches.ts';
import type { GatheredKind } from '#gateway/ledger/gathered.ts';
import { keepLastLogin, type LastLogin } from '#gateway/ledger/last-uses.ts';
import { keepReject, type RejectRow } from '#gateway/ledger/rejects.ts';

export const REJECTS: GatheredKind<Omit<RejectRow, 'times'>> = {
  keyOf: ({ address, login, explanation }) => [address, login, explanation].join(' '),
  keep: (rows, reject) => keepReject(rows, reject),
  unkept: 'sftp.reject-unkept',
};

export const LAST_LOGINS: GatheredKind<LastLogin> = {
  keyOf: ({ login }) => login,
  keep: keepLastLogin,
  unkept: 'sftp.login-unkept',
};

export const FETCHES: GatheredKind<Omit<Fetch, 'times'>> = {
  keyOf: ({ home, folder, name, login, action, newName = '' }) => [home, folder, login, action, name, newName].join('/'),
  keep: keepFetch,
  unkept: 'sftp.fetch-unkept',
};

export const FAILED_UPLOADS: GatheredKind<Omit<FailedUpload, 'times'>> = {
  keyOf: ({ home, login, fileName, reason }) => [home, login, fileName, reason].join('/'),
  keep: (rows, failed) => keepFailedUpload(rows, failed),
  unkept: 'sftp.failed-upload-unkept',
};
