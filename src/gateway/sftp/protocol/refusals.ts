// How errors become SFTP status replies: one table from our codes, and a sentence always.
import { type ErrorCode, toAppError } from '#domain/error.ts';
import { STATUS, type Status, statusReply } from './replies.ts';

const STATUS_OF: Readonly<Partial<Record<ErrorCode, Status>>> = {
  missing: STATUS.noSuchFile,
  forbidden: STATUS.permissionDenied,
  name: STATUS.permissionDenied,
  'not-implemented': STATUS.unsupported,
  'bad-request': STATUS.badMessage,
};

/** Codes that are not in the table are FAILURE, for version 3 has no finer ones; the sentence explains them. */
export function refusalReply(id: number, error: unknown): Buffer {
  const { code, message } = toAppError(error);
  return statusReply(id, STATUS_OF[code] ?? STATUS.failure, message);
}
