// The options by which a command sets the rules of a login, and the words in which a list shows them: one table.
import type { Command } from 'commander';
import { AppError } from '#domain/error.ts';
import { HOME_FOLDERS, LAYOUT_NAMES, type Layout } from '#gateway/model/layout.ts';
import { CHARSETS, type LoginRules, METHOD_RULES, REMOVAL_RULES, type RuleChanges } from '#gateway/model/login-rules.ts';
import { choice, count, type PlainKind, type Reading, size } from '#runtime/config/kinds.ts';

interface RuleOption {
  readonly name: string;
  readonly argument: string;
  /** The value that takes the rule back. */
  readonly none: string;
  readonly sentence: string;
  readonly changes: (text: string) => RuleChanges;
  /** Undefined when the login has no such rule. */
  readonly shown: (rules: LoginRules) => string | number | undefined;
}

function rule<Value>(
  option: Pick<RuleOption, 'name' | 'argument' | 'none' | 'sentence' | 'shown'>,
  read: (text: string) => Reading<Value>,
  set: (value: Value | null) => RuleChanges,
): RuleOption {
  return {
    ...option,
    changes(text) {
      if (text === option.none) return set(null);
      const reading = read(text);
      if ('problem' in reading) throw new AppError('usage', `--${option.name} ${reading.problem}; ${option.none} takes it back.`);
      return set(reading.value);
    },
  };
}

const numberOf = (kind: PlainKind<number>) => (text: string) => kind.read(/^\d+$/.test(text) ? Number(text) : text);
const asIs = (text: string): Reading<string> => ({ value: text });
const word = <Word extends string>(words: readonly Word[]) => {
  const kind = choice(...words);
  return (text: string): Reading<Word> => kind.read(text);
};

const RULES: readonly RuleOption[] = [
  rule(
    {
      name: 'allow',
      argument: '<networks>',
      none: 'any',
      sentence: 'addresses and networks that it may come from, with commas between them',
      shown: ({ allow }) => allow?.join(','),
    },
    asIs,
    (text) => ({ allow: text?.split(',') ?? null }),
  ),
  rule(
    {
      name: 'methods',
      argument: `<${METHOD_RULES.join('|')}>`,
      none: 'any',
      sentence: 'what it must prove itself with',
      shown: ({ methods }) => methods,
    },
    word(METHOD_RULES),
    (methods) => ({ methods }),
  ),
  rule(
    {
      name: 'expires',
      argument: '<day>',
      none: 'never',
      sentence: 'its last day, such as 2027-03-31 (UTC)',
      shown: ({ expires }) => expires,
    },
    asIs,
    (expires) => ({ expires }),
  ),
  rule(
    {
      name: 'sessions',
      argument: '<count>',
      none: 'default',
      sentence: 'sessions that it may have at the same time',
      shown: ({ sessionsMax }) => sessionsMax,
    },
    numberOf(count(1, 100_000)),
    (sessionsMax) => ({ sessionsMax }),
  ),
  rule(
    {
      name: 'access',
      argument: '<read-only>',
      none: 'full',
      sentence: 'what it may do',
      shown: ({ readOnly }) => (readOnly ? 'read-only' : undefined),
    },
    word(['read-only']),
    (access) => ({ readOnly: access === 'read-only' }),
  ),
  rule(
    {
      name: 'removal',
      argument: `<${REMOVAL_RULES.join('|')}>`,
      none: 'hide',
      sentence: 'removing a file that was taken says so and is refused, instead of hiding it',
      shown: ({ removal }) => removal,
    },
    word(REMOVAL_RULES),
    (removal) => ({ removal }),
  ),
  rule(
    {
      name: 'home-bytes',
      argument: '<size>',
      none: 'unlimited',
      sentence: 'what may lie in each of its homes before nothing more can be uploaded, such as 2GB',
      shown: ({ homeBytesMax }) => homeBytesMax,
    },
    (text) => size('1B', '999999GB').read(/^\d+$/.test(text) ? `${text}B` : text),
    (homeBytesMax) => ({ homeBytesMax }),
  ),
  rule(
    {
      name: 'home-files',
      argument: '<count>',
      none: 'unlimited',
      sentence: 'the same in files',
      shown: ({ homeFilesMax }) => homeFilesMax,
    },
    numberOf(count(1, 10_000_000)),
    (homeFilesMax) => ({ homeFilesMax }),
  ),
  rule(
    {
      name: 'charset',
      argument: '<name>',
      none: 'auto',
      sentence: `how receipts spell the names of its files: ${CHARSETS.join(', ')}`,
      shown: ({ charset }) => charset,
    },
    word(CHARSETS),
    (charset) => ({ charset }),
  ),
  rule(
    {
      name: 'layout',
      argument: '<layout>',
      none: 'standard',
      sentence: `names of the folders: ${LAYOUT_NAMES.join(', ')}, or one by one, such as inbox=in,outbox=out (outbox=. is the top)`,
      shown: shownLayout,
    },
    layoutIn,
    (layout) => ({ layout }),
  ),
];

/** `flat`, or `inbox=in,outbox=.`. */
function layoutIn(text: string): Reading<Layout> {
  const named = LAYOUT_NAMES.find((name) => name === text);
  if (named) return { value: named };
  const pairs = text.split(',').map((pair) => pair.split('='));
  const isKnown = (folder: string | undefined): boolean => HOME_FOLDERS.some((each) => each === folder);
  if (pairs.some(([folder, name, ...rest]) => !isKnown(folder) || !name || rest.length > 0)) {
    return { problem: `must be ${LAYOUT_NAMES.join(', ')}, or names such as inbox=in,outbox=out, not '${text}'` };
  }
  return { value: Object.fromEntries(pairs.map(([folder, name]) => [folder, name === '.' ? '' : name])) };
}

/** As the option has it; undefined for the standard. */
export function shownLayout({ layout }: LoginRules): string | undefined {
  if (typeof layout !== 'object') return layout;
  return Object.entries(layout)
    .map(([folder, name]) => `${folder}=${name === '' ? '.' : name}`)
    .join(',');
}

/** Adds an option for each rule. */
export function withRules(command: Command): Command {
  for (const { name, argument, none, sentence } of RULES) command.option(`--${name} ${argument}`, `${sentence}; ${none} takes it back`);
  return command;
}

/** The rules that a command's options set or take back. Throws `usage`. */
export function ruleChanges(command: Command): RuleChanges {
  const given = command.opts<Readonly<Record<string, unknown>>>();
  const changes = RULES.map(({ name, changes: read }) => {
    const text = given[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    return typeof text === 'string' ? read(text) : {};
  });
  return Object.assign({}, ...changes);
}

/** `allow=10.0.0.0/8 methods=both`; '' when there are none. */
export function shownRules(rules: LoginRules): string {
  const shown = RULES.map(({ name, shown: show }) => ({ name, value: show(rules) }));
  return shown.flatMap(({ name, value }) => (value === undefined ? [] : [`${name}=${value}`])).join(' ');
}
