// What a client is told that asks of an inbox what cannot be.
import { AppError } from '#domain/error.ts';
import { nameText } from '#gateway/model/file-names.ts';
import { type ByteName, isTest } from '#gateway/model/intake.ts';
import type { Seen } from './view.ts';

export function isBeingWritten(name: ByteName): AppError {
  return new AppError('forbidden', `'${nameText(name)}' is being written; close it first`);
}

export function isOnDisk(name: ByteName, done: string): AppError {
  const sentence = `'${nameText(name)}' was put into the folder on the server, where it cannot be ${done} from here; it is taken soon`;
  return new AppError('forbidden', sentence);
}

export function notYours(name: ByteName): AppError {
  return new AppError('forbidden', `'${nameText(name)}' is being written by another session; upload under a name of your own`);
}

/** No client was told OK for it, so none may be told OK for its new name. */
export function unfinishedUpload(name: ByteName): AppError {
  return new AppError('forbidden', `the upload of '${nameText(name)}' was cut off before it was closed; resume it, or upload it again`);
}

/** Between what is sent and what is only tested nothing moves but what waits for its real name. */
export function staysWhereItIs(seen: Seen): AppError {
  const name = `'${nameText(seen.name)}'`;
  if (seen.state !== 'taken') return new AppError('forbidden', `the upload of ${name} was not closed; put the file where it belongs`);
  const sentence = isTest(seen)
    ? `${name} was tested, and nothing of it was kept; put the file into the inbox to send it`
    : `${name} was taken, and is sent; to test a file put it into the folder for tests`;
  return new AppError('forbidden', sentence);
}
