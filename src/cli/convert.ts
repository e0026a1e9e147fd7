// `dropgate convert`: a document in the other notation, UBL JSON or XML, with nothing lost that is not told.
import { readFileSync, writeFileSync } from 'node:fs';
import { Argument } from 'commander';
import { FILE_BYTES_MAX } from '#cli/validation/report.ts';
import { refusedFor } from '#domain/document.ts';
import { AppError, messageOf } from '#domain/error.ts';
import { visibleLines, visibleXml } from '#domain/visible.ts';
import { structureOf } from '#rules/structure.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { readDocument } from '#ubl/document.ts';
import { versionOf } from '#ubl/model/version.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { writeXml } from '#ubl/write.ts';
import { lostInJson, writeJson } from '#ubl/write-json.ts';
import type { AddCommand } from './commands.ts';
import { oneOf } from './options.ts';
import type { Terminal } from './terminal.ts';

interface Options {
  readonly to: keyof typeof WRITERS;
  readonly output?: string;
}

const WRITERS = { json: writeJson, xml: writeXml } as const satisfies Record<string, (root: XmlElement) => Uint8Array>;
/** As it may stand on a terminal, and means the same. */
const SHOWN = { json: visibleLines, xml: visibleXml } as const satisfies Record<keyof typeof WRITERS, (text: string) => string>;
const STDIN = '-';

export const addConvert: AddCommand = (commands) => {
  const { terminal } = commands;
  commands
    .command('convert')
    .addArgument(new Argument('[file]', "a document in XML or JSON, or '-' for standard input").default(STDIN))
    .addOption(oneOf('--to <notation>', 'what it becomes', Object.keys(WRITERS)).makeOptionMandatory())
    .option('-o, --output <file>', 'write into this file, which must not be there yet, instead of printing')
    .action(async (file: string, { to, output }: Options) => {
      const bytes = file === STDIN ? await terminal.readInput(FILE_BYTES_MAX) : contentOf(file);
      const { root } = readDocument(bytes);
      refuseBroken(root);
      const converted = WRITERS[to](root);
      if (to === 'json') tellLoss(root, terminal);
      if (output === undefined) terminal.print(SHOWN[to](new TextDecoder().decode(converted).trimEnd()));
      else create(output, converted);
    });
};

/** JSON has no place for hints to schema validators, which some rules ask about. */
function tellLoss(root: XmlElement, terminal: Terminal): void {
  const lost = lostInJson(root);
  if (lost.length > 0)
    terminal.complain(`${lost.join(', ')}: left out, because UBL JSON has no place for it. Rules about it find nothing any more.`);
}

/** Only what is of UBL's structure has a form in both notations. */
function refuseBroken(root: XmlElement): void {
  const [first, ...more] = structureOf(root, versionOf(root));
  if (!first) return;
  const others = more.length > 0 ? ` There ${more.length === 1 ? 'is one more finding' : `are ${more.length} more findings`}.` : '';
  const sentence = `The document is not of the structure of UBL: ${first.message} (${first.path})${others} 'dropgate validate' tells all.`;
  throw refusedFor([first, ...more], sentence);
}

function contentOf(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new AppError('missing', `${file} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

function create(file: string, bytes: Uint8Array): void {
  try {
    writeFileSync(file, bytes, { flag: 'wx' });
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw new AppError('exists', `${file} is there already: remove it, or choose another name.`);
    throw new AppError('storage', `${file} cannot be written: ${reasonOf(error)}.`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  return systemCode(error) === 'ENOENT' ? 'there is no such file' : messageOf(error);
}
