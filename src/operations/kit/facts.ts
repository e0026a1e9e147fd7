// What a connection kit is written from, and what one file of it is.
import type { ReceiptForm } from '#domain/receipt-forms.ts';
import type { FolderNames } from '#gateway/model/layout.ts';
import { type Answer, isAtTop } from '#gateway/model/rule-words.ts';
import type { ZipEntry } from '#runtime/files/zip.ts';

export interface KitFacts {
  readonly login: string;
  readonly host: string;
  readonly port: number;
  readonly byKey: boolean;
  readonly byPassword: boolean;
  /** The accounts' folders; none when the only account's folders stand at the top. */
  readonly folders: readonly string[];
  /** Under which names the login sees the folders of a home; '' is the top of the home itself. */
  readonly names: FolderNames;
  /** Folders where the last word on a file may lie, by another name than receipts have. */
  readonly resultsIn: readonly string[];
  /** Folders of the outbox, one for each kind of document. */
  readonly kinds: readonly string[];
  readonly answers: readonly Answer[];
  /** The home is that of several companies together. */
  readonly isShared: boolean;
  readonly hostKeys: readonly { readonly type: string; readonly fingerprint: string; readonly knownHosts: string }[];
  readonly fileMaxBytes: number;
  /** The form of receipts. */
  readonly receipts: ReceiptForm;
  readonly readOnly: boolean;
  /** The login's last day, and what it is held to, in words; '' without rules. */
  readonly rules: string;
  /** How long originals and receipts stay, and a file waits for its rename. */
  readonly keepAcceptedMs: number;
  readonly keepReceiptsMs: number;
  readonly partialsKeptMs: number;
}

/** What a script takes: the folder into which it puts that, and the path from its home, for programs that want one. */
export function takenFrom({
  names,
  kinds,
}: Pick<KitFacts, 'names' | 'kinds'>): { readonly into: 'outbox' | 'receipts'; readonly path: string }[] {
  const outbox = names.outbox === '' ? '.' : names.outbox;
  return [
    ...[outbox, ...kinds.map((kind) => `${outbox}/${kind}`)].map((path) => ({ into: 'outbox', path }) as const),
    { into: 'receipts', path: names.receipts },
  ];
}

/** The same as words of a shell: `outbox:PATH`. The names are safe there. */
export function takenWords(facts: KitFacts): string {
  return takenFrom(facts)
    .map(({ into, path }) => `${into}:${path}`)
    .join(' ');
}

/** The names that no file in the outbox can have: folders stand there among the files. */
export function foldersAmongFiles({ names, kinds, answers }: Pick<KitFacts, 'names' | 'kinds' | 'answers'>): string[] {
  const first = Object.values(names).flatMap((name) => (name === '' ? [] : (name.split('/')[0] ?? [])));
  return [...kinds, ...(names.outbox === '' ? [...new Set(first), ...answers.filter(isAtTop)] : [])];
}

export type KitFile = ZipEntry;

export function textFile(path: string, text: string): KitFile {
  return { path, text, isProgram: false };
}

/** For Windows, whose programs want its line ends. */
export function windowsFile(path: string, text: string): KitFile {
  return { path, text: text.replaceAll('\n', '\r\n'), isProgram: false };
}

export function program(path: string, text: string): KitFile {
  return { path, text, isProgram: true };
}
