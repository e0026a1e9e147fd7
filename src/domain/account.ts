// What an account, a partner and a login may be called.
import { AppError } from './error.ts';

/** A name that is safe as one path component on every system, and in a URL, as it stands. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;
/** Reserved: folders of the spool, and device names of Windows machines that mount a home. */
const RESERVED = /^(?:receiving|con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Returns the name, or throws `usage` with what is wrong about it. `what` opens the sentence: `accountRegNo`, `login`. */
export function checkedName(what: string, name: string): string {
  if (!NAME.test(name) || RESERVED.test(name)) {
    throw new AppError(
      'usage',
      `${what} '${name}' is not allowed: use 1 to 64 letters, digits, dots, hyphens or underscores, beginning and ending with a letter or digit.`,
    );
  }
  return name;
}

/** Of documents, as an account sees them. */
export const DIRECTIONS = ['incoming', 'outgoing'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** What an account may have switched on. */
export const FEATURES = ['apiIntegration', 'sftpIntegration', 'capture'] as const;
export type Feature = (typeof FEATURES)[number];
