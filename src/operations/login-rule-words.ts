// The rules of a login in words: as options of a command set them, and as lists and connection kits show them. One table.
import { AppError } from '#domain/error.ts';
import type { Layout } from '#gateway/model/layout.ts';
import type { LoginRules, RuleChanges } from '#gateway/model/login-rules.ts';
import { ANSWERS, CHARSETS, LAYOUT_NAMES, METHOD_RULES, REMOVAL_RULES, SEEN_FOLDERS, VERDICT_RULES } from '#gateway/model/rule-words.ts';
import { choice, count, type PlainKind, type Reading, size } from '#runtime/config/kinds.ts';

interface RuleOption {
  readonly name: string;
  readonly argument: string;
  /** The value that takes the rule back. */
  readonly none: string;
  readonly sentence: string;
  readonly changes: (text: string) => RuleChanges;
  /** Undefined when the login has no such rule. */
  readonly shown: (rules: LoginRules) => string | undefined;
}

/** `flags` are the option's name and its argument; `show` writes the rule as the option has it. */
function rule<Key extends keyof LoginRules>(
  flags: string,
  none: string,
  sentence: string,
  key: Key,
  read: (text: string) => Reading<LoginRules[Key]>,
  show: (value: NonNullable<LoginRules[Key]>) => string = String,
): RuleOption {
  const [name = '', argument = ''] = flags.split(' ');
  const changes = (text: string): RuleChanges => {
    if (text === none) return { [key]: null };
    const reading = read(text);
    if ('problem' in reading) throw new AppError('usage', `--${name} ${reading.problem}; ${none} takes it back.`);
    return { [key]: reading.value };
  };
  const shown = ({ [key]: value }: LoginRules): string | undefined => (value == null || value === false ? undefined : show(value));
  return { name, argument, none, sentence, changes, shown };
}

const numberOf = (kind: PlainKind<number>) => (text: string) => kind.read(/^\d+$/.test(text) ? Number(text) : text);
const asIs = (text: string): Reading<string> => ({ value: text });
const word = <Word extends string>(words: readonly Word[]) => {
  const kind = choice(...words);
  return (text: string): Reading<Word> => kind.read(text);
};
const bytesOf = (text: string) => size('1B', '999999GB').read(/^\d+$/.test(text) ? `${text}B` : text);

/** `read-only`, the one thing that a login may be held to do. */
function readOnlyIn(text: string): Reading<true> {
  const reading = word(['read-only'])(text);
  return 'problem' in reading ? reading : { value: true };
}

// biome-ignore format: one row, one rule
export const RULES: readonly RuleOption[] = [
  rule('allow <networks>', 'any', 'addresses and networks that it may come from, with commas between them', 'allow', (text) => ({ value: text.split(',') }), (allow) => allow.join(',')),
  rule(`methods <${METHOD_RULES.join('|')}>`, 'any', 'what it must prove itself with', 'methods', word(METHOD_RULES)),
  rule('expires <day>', 'never', 'its last day, such as 2027-03-31 (UTC)', 'expires', asIs),
  rule('sessions <count>', 'default', 'sessions that it may have at the same time', 'sessionsMax', numberOf(count(1, 100_000))),
  rule('access <read-only>', 'full', 'what it may do', 'readOnly', readOnlyIn, () => 'read-only'),
  rule(`removal <${REMOVAL_RULES.join('|')}>`, 'hide', 'removing a file that was taken says so and is refused, instead of hiding it', 'removal', word(REMOVAL_RULES)),
  rule(`verdict <${VERDICT_RULES.join('|')}>`, 'later', 'documents are judged before an upload ends: what breaks rules fails, and is not taken', 'verdict', word(VERDICT_RULES)),
  rule('answers <folders>', 'none', `folders that answer: ${ANSWERS.join(', ')}, with commas between them`, 'answers', answersIn, (answers) => answers.join(',')),
  rule('reconciliation <account>', 'off', 'a signed file of each day over all its accounts, among the receipts of this one of its homes', 'reconciliation', asIs),
  rule('home-bytes <size>', 'unlimited', 'what may lie in each of its homes before nothing more can be uploaded, such as 2GB', 'homeBytesMax', bytesOf),
  rule('home-files <count>', 'unlimited', 'the same in files', 'homeFilesMax', numberOf(count(1, 10_000_000))),
  rule('charset <name>', 'auto', `how receipts spell the names of its files: ${CHARSETS.join(', ')}`, 'charset', word(CHARSETS)),
  rule('layout <layout>', 'standard', `names of the folders: ${LAYOUT_NAMES.join(', ')}, or one by one, such as inbox=in,outbox=out (outbox=. is the top, inbox=a/b a folder in a folder, duplicates=NAME a folder for originals of duplicates), with like=NAME those of a layout for the others`, 'layout', layoutIn, shownLayout),
];

/** `test,status`; without a word the same as none. */
function answersIn(text: string): Reading<NonNullable<LoginRules['answers']>> {
  const named: ReadonlySet<string> = new Set(text === '' ? [] : text.split(','));
  const known = ANSWERS.filter((each) => named.has(each));
  if (known.length < named.size) return { problem: `must be some of ${ANSWERS.join(', ')}, not '${text}'` };
  return { value: known };
}

/** `flat`, `inbox=in,outbox=.`, or `like=flat,inbox=in`. */
function layoutIn(text: string): Reading<Layout> {
  const named = LAYOUT_NAMES.find((name) => name === text);
  if (named) return { value: named };
  const parts = text.split(',');
  const like = LAYOUT_NAMES.find((name) => parts.includes(`like=${name}`));
  const pairs = parts.filter((part) => part !== `like=${like}`).map((part) => part.split('='));
  const isKnown = (folder: string | undefined): boolean => SEEN_FOLDERS.some((each) => each === folder);
  if (pairs.some(([folder, name, ...rest]) => !isKnown(folder) || !name || rest.length > 0)) {
    return { problem: `must be ${LAYOUT_NAMES.join(', ')}, or names such as inbox=in,outbox=out, not '${text}'` };
  }
  const names = Object.fromEntries(pairs.map(([folder, name]) => [folder, name === '.' ? '' : name]));
  return { value: like ? { like, ...names } : names };
}

function shownLayout(layout: Layout): string {
  if (typeof layout !== 'object') return layout;
  return Object.entries(layout)
    .map(([folder, name]) => `${folder}=${name === '' ? '.' : name}`)
    .join(',');
}

/** `allow=10.0.0.0/8 methods=both`; '' when there are none. */
export function shownRules(rules: LoginRules): string {
  const shown = RULES.map(({ name, shown: show }) => ({ name, value: show(rules) }));
  return shown.flatMap(({ name, value }) => (value === undefined ? [] : [`${name}=${value}`])).join(' ');
}
