// Times, sizes and numbers of things as a person says them.

const UNITS: readonly (readonly [name: string, ms: number, atLeast: number])[] = [
  // A single day is '24 hours', which nobody takes for 'until tomorrow'.
  ['day', 86_400_000, 2],
  ['hour', 3_600_000, 1],
  ['minute', 60_000, 1],
];

/** `24 hours`, `30 days`: in the largest unit in which it comes out even; otherwise in seconds. */
export function durationText(ms: number): string {
  const [name, unit] = UNITS.find(([, each, atLeast]) => ms % each === 0 && ms >= atLeast * each) ?? ['second', 1_000];
  return counted(Math.round(ms / unit), name);
}

/** `20 MiB` rather than `20971520 bytes`, where it comes out even. */
export function sizeText(bytes: number): string {
  if (bytes >= 2 ** 20 && bytes % 2 ** 20 === 0) return `${bytes / 2 ** 20} MiB`;
  if (bytes >= 2 ** 10 && bytes % 2 ** 10 === 0) return `${bytes / 2 ** 10} KiB`;
  return counted(bytes, 'byte');
}

/** `1 document`, `2 documents`; where more of them are called otherwise, by that name: `1 try`, `2 tries`. */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}

/** `a CreditNote`, `an Invoice`. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
