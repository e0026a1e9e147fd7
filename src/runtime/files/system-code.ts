// What the operating system said when a call failed.

/** `ENOENT`, `EADDRINUSE` and so on (also DNS's `ENOTFOUND`); undefined for errors of another kind. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
