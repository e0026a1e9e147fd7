// Why a request or a connection failed, in words.
import { systemCode } from '#runtime/files/system-code.ts';

/** A code says it all (`ECONNREFUSED`, `CERT_HAS_EXPIRED`); of several connections that failed, the first one does. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return 'no reason given';
  return systemCode(error) ?? error.message;
}
