// By which code a call has failed.
import type { ErrorCode } from '#domain/error.ts';

/** `ENOENT`, `EADDRINUSE` and so on (also DNS's `ENOTFOUND`), and ours; undefined for errors of another kind. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** For `catch`: null stands for an error of one of these codes; any other is thrown on. */
export function nullIf(...codes: readonly (ErrorCode | 'ENOENT')[]): (error: unknown) => null {
  return (error) => {
    if (codes.some((code) => code === systemCode(error))) return null;
    throw error;
  };
}
