// Done-files: a home may ask that each document is followed by an (empty) file which says that it is complete.
import { AppError } from '#domain/error.ts';
import { type ByteName, isTemporaryName } from './intake.ts';

/** `.done`: `invoice.xml.done` speaks for `invoice.xml`; `*.done`: `invoice.done` does, and for every `invoice.…`. */
export type DoneFile = string;

const FORM = /^\*?\.[A-Za-z0-9_-][A-Za-z0-9._-]{0,31}$/;
/** Endings that documents have. */
const DOCUMENTS = new Set(['.xml', '.json']);

/** The text of an option. Throws `usage`. */
export function doneFileOf(text: string): DoneFile {
  const ending = endingOf(text);
  if (FORM.test(text) && !DOCUMENTS.has(ending.toLowerCase()) && !isTemporaryName(`x${ending}`)) return text;
  throw new AppError(
    'usage',
    `'${text}' names no done-files: write .done for invoice.xml.done, or *.done for invoice.done, with an ending that is neither a document's nor a temporary one.`,
  );
}

export function isDoneFile(name: ByteName, doneFile: DoneFile): boolean {
  return name.endsWith(endingOf(doneFile)) && name.length > endingOf(doneFile).length;
}

/** The name of the done-file that speaks for a document. */
export function doneFileFor(name: ByteName, doneFile: DoneFile): ByteName {
  const dot = name.lastIndexOf('.');
  const stem = doneFile.startsWith('*') && dot > 0 ? name.slice(0, dot) : name;
  return `${stem}${endingOf(doneFile)}`;
}

interface Times {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** Whether it was made after the document was last changed: the done-file of an earlier document of the name says nothing. */
export function speaksFor(done: Times, document: Times): boolean {
  // A program can set the time of the last write to anything, but not that of the last change.
  return done.ctimeMs >= Math.min(document.mtimeMs, document.ctimeMs);
}

function endingOf(doneFile: DoneFile): string {
  return doneFile.startsWith('*') ? doneFile.slice(1) : doneFile;
}
