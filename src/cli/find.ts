// `dropgate find`: where is my invoice?
import { Option } from 'commander';
import { counted } from '#domain/amounts.ts';
import { FAMILY_NAMES } from '#domain/family.ts';
import { shortId } from '#domain/id.ts';
import { FIND_STATES } from '#gateway/model/item.ts';
import type { AnswerOf } from '#operations/table.ts';
import { systemClock } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import type { Cell } from './cells.ts';
import type { AddCommand, Commands, Fact } from './commands.ts';
import { limitOf, sinceOf } from './operating.ts';
import { collect, oneOf, wordsOf } from './options.ts';

const FOUND_MAX = 1_000;
const NOTHING_FOUND = 1;

interface FindOptions {
  readonly account?: string;
  readonly family?: (typeof FAMILY_NAMES)[number];
  readonly state: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
}

type Answer = AnswerOf<'find'>;
type Found = Answer['found'][number];
type Timeline = NonNullable<Answer['timeline']>;

const COLUMNS: Readonly<Record<string, (found: Found) => Cell>> = {
  id: (found) => idOf(found),
  what: ({ kind }) => kind,
  state: ({ state, network }) => (network === null ? { state } : [{ state }, { state: network }]),
  when: ({ at }) => ({ at }),
  account: ({ accountRegNo }) => accountRegNo,
  document: (found) => documentOf(found) ?? '-',
  from: ({ sender }) => sender ?? '-',
  to: ({ receiver }) => receiver ?? '-',
  file: ({ fileName }) => fileName ?? '-',
  reason: ({ reason }) => reason,
};

const HAPPENED: Readonly<Record<string, (happened: Timeline['happened'][number]) => Cell>> = {
  when: ({ at }) => ({ at }),
  what: ({ what }) => ({ state: what }),
  took: ({ tookMs }) => (tookMs === null ? '' : `${tookMs} ms`),
  detail: ({ detail }) => detail,
};

export const addFind: AddCommand = (commands) => {
  const input = (text: string, { account: accountRegNo, family, state: states, since, until, limit }: FindOptions) => ({
    text,
    limit: limitOf(limit, FOUND_MAX),
    ...(accountRegNo !== undefined && { accountRegNo }),
    ...(family !== undefined && { family }),
    ...(states.length > 0 && { states: wordsOf('--state', states, FIND_STATES) }),
    ...(since !== undefined && { since: sinceOf('--since', since, systemClock.now()) }),
    ...(until !== undefined && { until: sinceOf('--until', until, systemClock.now()) }),
  });
  commands
    .asks('find <text>', 'find', input, (answer, config) => say(commands, answer, config), { status: statusOf })
    .option('--account <accountRegNo>', 'only those of one account')
    .addOption(oneOf('--family <family>', 'only those of one family', FAMILY_NAMES))
    .addOption(
      new Option('--state <state>', `only those: ${FIND_STATES.join(', ')}; may be given several times`)
        .argParser(collect)
        .default([], 'all'),
    )
    .option(
      '--since <time>',
      'only those since: 2026-11-20, 2026-11-20T14:30:00Z, 36h; a part from the middle is looked for in 30 days without it',
    )
    .option('--until <time>', 'only those before')
    .option('--limit <count>', 'no more than so many', '50');
};

function statusOf({ found }: Answer): number {
  return found.length === 0 ? NOTHING_FOUND : 0;
}

function say(commands: Commands, answer: Answer, config: Config): void {
  const { found, timeline, looked } = answer;
  if (found.length === 0) commands.terminal.complain(`Nothing was found: ${whereOf(looked)}.`);
  else if (looked.since !== null) commands.terminal.complain(`Looked ${periodOf(looked)}.`);
  if (timeline) {
    commands.facts(factsOf)(answer, config);
    commands.table('happenings', HAPPENED)(timeline.happened, config);
  } else if (found.length > 0) {
    commands.table('such documents', COLUMNS)(found, config);
  }
}

function factsOf({ found, timeline }: Answer): Fact[] {
  return found.flatMap((only): Fact[] => [
    ['id', only.kind === 'dropped' ? `${idOf(only)} (${only.id})` : only.id],
    ['state', COLUMNS.state?.(only) ?? null],
    ['reason', only.reason],
    ['account', only.accountRegNo],
    ['document', documentOf(only)],
    ['from', only.sender],
    ['to', only.receiver],
    ['file', only.fileName === null ? null : `${only.fileName} (${only.size} bytes)`],
    ['remembered until', timeline && { at: timeline.rememberedUntil }],
    ['integrationId', only.kind === 'dropped' ? only.integrationId : null],
    ...(timeline?.findings ?? []).map(({ rule, severity, message, line }): Fact => {
      return ['finding', `${rule} (${severity}${line === undefined ? '' : `, line ${line}`}): ${message}`];
    }),
    ...(timeline?.files ?? []).map(({ folder, name, isHere }): Fact => [folder, `${name}${isHere ? '' : ' (not there any more)'}`]),
  ]);
}

function whereOf({ data, accounts, accountRegNos, ...looked }: Answer['looked']): string {
  const more = accounts - accountRegNos.length;
  const names = [...accountRegNos, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return `looked in ${data}, ${counted(accounts, 'account')}${names && ` (${names})`}, ${periodOf(looked)}`;
}

function periodOf({ by, since, until }: Pick<Answer['looked'], 'by' | 'since' | 'until'>): string {
  const from = since === null ? 'as far back as the ledger goes' : `back to ${since} (--since goes further)`;
  return `${from}${until === null ? '' : `, before ${until}`}${by === 'part' ? ', for a part of what is known as well' : ''}`;
}

function idOf({ kind, id }: Found): string {
  return kind === 'dropped' ? shortId(id) : id;
}

function documentOf({ family, documentId }: Found): string | null {
  return documentId === null ? family : `${family} ${documentId}`;
}
