// The words of rules and layouts, by themselves: commands name them among their options, and load no form for it.

/** The folders of a home on disk. */
export const HOME_FOLDERS = ['inbox', 'outbox', 'receipts', 'accepted', 'refused'] as const;
export type HomeFolder = (typeof HOME_FOLDERS)[number];

/** Those that a layout names: originals of duplicates lie in accepted/ on disk, and may be seen in a folder of their own. */
export const SEEN_FOLDERS = [...HOME_FOLDERS, 'duplicates'] as const;
export type SeenFolder = (typeof SEEN_FOLDERS)[number];

/** The layouts that have a name; without one it is the standard. */
export const LAYOUT_NAMES = [
  'to-from-peppol',
  'to-from-peppol-rcpt',
  'flat',
  'out-in',
  'out-in-sent-failed',
  'incoming-outgoing-kinds',
  'success-duplicate-error',
  'success-error-json',
  'result-invalid',
  'error-duplicate',
  'msg-out-in',
] as const;

/** Encodings in which the names of a login's files may be; `auto` is no rule: UTF-8 where it is, Latin-1 otherwise. */
export const CHARSETS = ['utf-8', 'latin1', 'windows-1250', 'windows-1251', 'windows-1252', 'iso-8859-2', 'iso-8859-15'] as const;
export type Charset = (typeof CHARSETS)[number];

/** What a login must prove itself with; without the rule one of the two is enough. */
export const METHOD_RULES = ['key', 'password', 'both'] as const;

/** What becomes of the wish to remove a file that was taken. */
export const REMOVAL_RULES = ['say'] as const;

/** When a login's documents are judged; without the rule after they were taken. */
export const VERDICT_RULES = ['strict'] as const;

/** Folders that answer; a login has none of them unless its rules say so. */
export const ANSWERS = ['test', 'lookup', 'status', 'answer'] as const;
export type Answer = (typeof ANSWERS)[number];

/** Those that stand at the top of a home, under their own name in every layout, and are views: nothing on disk stands behind them (view.ts). */
const VIEW_NAMES = ['lookup', 'status'] as const satisfies readonly Answer[];
export type ViewName = (typeof VIEW_NAMES)[number];

export type TopAnswer = Exclude<Answer, 'test'>;

export function isViewName(answer: Answer): answer is ViewName {
  return VIEW_NAMES.some((name) => name === answer);
}

/** Whether the folder stands beside those of the layout. */
export function isAtTop(answer: Answer): answer is TopAnswer {
  return answer !== 'test';
}

/** What removes a document from an outbox beside its time: the client only, or a complete download as well. */
export const OUTBOX_RULES = ['keep', 'downloaded'] as const;
export type OutboxRule = (typeof OUTBOX_RULES)[number];
