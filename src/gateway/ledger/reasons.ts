// Why the same came to nothing, in one column: each reason once, a line each, the latest first. The next reason must not hide the one before it: of a client
// that tries a password after its key, both tell something.
const REASONS_MAX = 5;

/** What the column has from now on; null where it had nothing. */
export function withReason(kept: string | null, latest: string): string {
  const line = latest.replaceAll('\n', ' ');
  const earlier = kept === null ? [] : kept.split('\n').filter((each) => each !== line);
  return [line, ...earlier].slice(0, REASONS_MAX).join('\n');
}

/** For people. */
export function reasonsText(kept: string): string {
  return kept.replaceAll('\n', '; earlier: ');
}
