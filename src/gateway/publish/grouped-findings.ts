// Findings as receipts tell them: what has one cause is one finding, with its other places and with what follows from it.
import { counted } from '#domain/amounts.ts';
import type { Finding } from '#domain/document.ts';
import type { GroupedFinding } from '#domain/receipt.ts';
import { followersIn } from './causes.ts';

/** One wrong code is one mistake, whatever rules find it, and at however many elements. */
const WRONG_CODE = /'([^']+)'(?:, which)? is no (\w[\w ]* (?:code|category|scheme)|type of an? \w+)\b/;

/** Causes with what follows from them first, then the others in their order. */
export function grouped(findings: readonly Finding[]): readonly GroupedFinding[] {
  const groups = [...Map.groupBy(findings, keyOf).values()].map(groupOf);
  const followers = followersIn(groups);
  const below = new Set([...followers.values()].flat());
  const leaders = [...followers].map(([leader, follows]) => ({ ...leader, follows }));
  return [...leaders, ...groups.filter((group) => !followers.has(group) && !below.has(group))];
}

function keyOf({ rule, severity, message, path }: Finding): string {
  const code = WRONG_CODE.exec(message);
  if (code) return `${severity} ${code[1]} ${code[2]}`;
  // A sentence may name the element that it stands at, as its path does; senders of JSON are told it without the prefix.
  const [, element] = /(?:^|[/:])([^/:[]+)(?:\[\d+\])?$/.exec(path ?? '') ?? [];
  return `${severity} ${rule} ${element ? message.replaceAll(element, '') : message}`;
}

function groupOf(found: readonly Finding[]): GroupedFinding {
  const [first, ...others] = found;
  if (!first) throw new RangeError('a group without a finding');
  const placeOf = ({ path, pointer, line }: Finding): string => path ?? pointer ?? `${line}`;
  const seen = new Set([placeOf(first)]);
  const places = others.flatMap((other) => {
    const { path, pointer, line, column } = other;
    if (seen.has(placeOf(other))) return [];
    seen.add(placeOf(other));
    return [
      {
        ...(path !== undefined && { path }),
        ...(pointer !== undefined && { pointer }),
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
      },
    ];
  });
  const rules = [...new Set(others.map(({ rule }) => rule))].filter((rule) => rule !== first.rule);
  return {
    ...first,
    ...(places.length > 0 && { message: `${first.message} The same at ${counted(places.length, 'more place')}.`, places }),
    ...(rules.length > 0 && { rules }),
  };
}
