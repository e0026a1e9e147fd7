// The exit status for each error code: the numbers of sysexits.h, so that scripts and systemd can tell 'mend it' from 'try again'.
import type { ErrorCode } from '#domain/error.ts';

/** Of a command that has looked, and found that something is not as it should be. */
export const DIFFERS = 1;

/** Of a node whose lease has passed: start it again, it joins anew (EX_PROTOCOL). */
export const LOST_HOMES = 76;

// biome-ignore format: one row, one code
export const EXIT_STATUS: Readonly<Record<ErrorCode, number>> = {
  usage:               64, // EX_USAGE: the command or the configuration is wrong
  'bad-request':       65, // EX_DATAERR: what was given cannot be used
  unreadable:          65,
  invalid:             65,
  name:                65,
  'key-reused':        65,
  'too-large':         65,
  missing:             66, // EX_NOINPUT: what was named is not there
  'unknown-receiver':  68, // EX_NOHOST
  'not-implemented':   69, // EX_UNAVAILABLE
  internal:            70, // EX_SOFTWARE: our fault
  exists:              73, // EX_CANTCREAT: what should be made is there already
  duplicate:           73,
  storage:             74, // EX_IOERR: the disk or the database failed
  locked:              75, // EX_TEMPFAIL: try again later
  'in-flight':         75,
  'rate-limited':      75,
  quota:               75,
  unauthenticated:     77, // EX_NOPERM
  'wrong-credentials': 77,
  forbidden:           77,
};

/** Of a code that came from elsewhere. */
export function statusOf(code: string): number {
  return isCode(code) ? EXIT_STATUS[code] : EXIT_STATUS.internal;
}

export function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(EXIT_STATUS, code);
}
