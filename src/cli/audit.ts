// `dropgate audit`: what people have done here, and whether what is written down of it is whole.
import { isRecord } from '#domain/json.ts';
import type { AnswerOf } from '#operations/table.ts';
import { toldTrail } from '#operations/verified-words.ts';
import type { Cell } from './cells.ts';
import type { AddCommand } from './commands.ts';
import { DIFFERS } from './exit-status.ts';
import { limitOf } from './operating.ts';

const LISTED_MAX = 100_000;

type Act = AnswerOf<'audit.list'>[number];

export const addAuditCommands: AddCommand = (commands) => {
  const audit = commands.group('audit');
  audit
    .asks(
      'list',
      'audit.list',
      ({ limit }: { readonly limit: string }) => ({ limit: limitOf(limit, LISTED_MAX) }),
      audit.table('acts of people', COLUMNS),
    )
    .option('--limit <number>', 'so many at the most', '100');
  audit
    .asks(
      'verify',
      'audit.verify',
      ({ last }: { readonly last?: string }) => ({ ...(last !== undefined && { last }) }),
      (verified, config) => {
        if (verified.broken === null) audit.tell(config, {}, toldTrail(verified));
        else audit.terminal.print(toldTrail(verified));
      },
      { status: ({ broken }) => (broken === null ? 0 : DIFFERS) },
    )
    .option('--last <mac>', 'a MAC that the log tells (audit.written): the line that it belongs to must be there');
};

const COLUMNS: Readonly<Record<string, (act: Act) => Cell>> = {
  at: ({ at }) => ({ at }),
  who: ({ who }) => who,
  what: ({ what }) => what,
  given: ({ given }) => JSON.stringify(given),
  changes: changesOf,
};

/** `login acme: enabled true -> false; account 1: added`. */
function changesOf({ before, after, failed }: Act): string {
  if (failed !== undefined) return `failed: ${failed}`;
  const [was, is] = [before, after].map((state) => (isRecord(state) ? state : {}));
  return Object.keys({ ...was, ...is })
    .map((name) => `${name}: ${changeOf(was?.[name], is?.[name])}`)
    .join('; ');
}

/** Of one thing that was named: what of it has changed. */
function changeOf(before: unknown, after: unknown): string {
  if (!isRecord(before)) return 'added';
  if (!isRecord(after)) return 'removed';
  const [was, is] = [before, after].map((each) => (name: string) => JSON.stringify(each[name]) ?? 'nothing');
  const names = Object.keys({ ...before, ...after });
  return names.flatMap((name) => (was?.(name) === is?.(name) ? [] : [`${name} ${was?.(name)} -> ${is?.(name)}`])).join(', ');
}
