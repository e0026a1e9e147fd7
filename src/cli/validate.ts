// `dropgate validate`: judges documents by the rules of the Peppol network, as the core does, and says where each mistake is.

import { Argument } from 'commander';
import { filesOf } from '#cli/validation/files.ts';
import { reportsOn } from '#cli/validation/pool.ts';
import { FILE_BYTES_MAX, type FileReport } from '#cli/validation/report.ts';
import { textOf } from '#cli/validation/text.ts';
import { counted } from '#domain/amounts.ts';
import { dayOf, endOfDay } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { visible, visibleLines } from '#domain/visible.ts';
import { STATES, type State } from '#rules/outcomes.ts';
import { reportOn } from '#rules/report.ts';
import { systemClock } from '#runtime/clock.ts';
import type { AddCommand } from './commands.ts';
import { oneOf } from './options.ts';
import type { Terminal } from './terminal.ts';

interface Options {
  readonly format: keyof typeof PRINTERS;
  readonly day?: string;
}

/** What is printed before, for each report, and at the end. */
interface Printer {
  begin?(): string;
  report(report: FileReport, index: number): string;
  end?(): string;
}

const PRINTERS = {
  text: { report: textOf },
  ndjson: { report: (report) => visible(JSON.stringify(plain(report))) },
  json: {
    begin: () => '[',
    report: (report, index) => `${index > 0 ? ',' : ''}${visibleLines(JSON.stringify(plain(report), null, 2))}`,
    end: () => ']',
  },
} as const satisfies Record<string, Printer>;

/** 0 when all are valid, 1 when there are findings that are errors, 2 when something could not be read, or there was nothing. */
const STATUS: Readonly<Record<State, number>> = { valid: 0, invalid: 1, unreadable: 2 };
/** After so many files each it is told how far we are. */
const PROGRESS_EVERY = 25;
const BAR_CHARACTERS = 30;
const STDIN = '-';

export const addValidate: AddCommand = (commands) => {
  const { terminal, end } = commands;
  commands
    .command('validate')
    .addArgument(new Argument('[files...]', "files, folders (every .xml and .json below), or '-' for standard input").default([STDIN]))
    .addOption(oneOf('--format <format>', 'how findings are printed', Object.keys(PRINTERS)).default('text'))
    .option('--day <YYYY-MM-DD>', 'the day whose rules hold (default: today)')
    .action(async (names: readonly string[], { format, day = today() }: Options) => {
      if (endOfDay(day) === undefined) throw new AppError('usage', `--day: '${day}' is no day, such as 2026-11-01.`);
      const files = names.includes(STDIN) ? names : [...filesOf(names)];
      const counts = await print(reports(files, day, terminal), files.length, PRINTERS[format], terminal);
      // Whoever has nothing judged has mostly named the wrong folder.
      end(STATUS[STATES.findLast((state) => counts[state] > 0) ?? 'unreadable']);
      if (format === 'text' || files.length === 0) terminal.complain(summary(counts));
    });
};

async function* reports(files: readonly string[], day: string, terminal: Terminal): AsyncGenerator<FileReport> {
  if (!files.includes(STDIN)) return yield* reportsOn(files, day);
  if (files.length > 1) throw new AppError('usage', "'-' stands alone: standard input is one document.");
  yield { file: '(standard input)', ...(await reportOn(await terminal.readInput(FILE_BYTES_MAX), { day })) };
}

type Counts = Record<State | 'errors' | 'warnings', number>;

async function print(all: AsyncIterable<FileReport>, total: number, printer: Printer, terminal: Terminal): Promise<Counts> {
  const counts: Counts = { valid: 0, invalid: 0, unreadable: 0, errors: 0, warnings: 0 };
  let done = 0;
  say(printer.begin?.());
  for await (const report of all) {
    say(printer.report(report, done));
    counts[report.state]++;
    for (const { severity } of report.findings) counts[severity === 'fatal' ? 'errors' : 'warnings']++;
    if (++done % PROGRESS_EVERY === 0) terminal.progress(bar(done, total));
  }
  terminal.progress('');
  say(printer.end?.());
  return counts;

  function say(text: string | undefined): void {
    if (!text) return;
    terminal.progress('');
    terminal.print(text);
  }
}

function bar(done: number, total: number): string {
  const filled = Math.floor((BAR_CHARACTERS * done) / total);
  return `[${'#'.repeat(filled).padEnd(BAR_CHARACTERS, '.')}] ${done} of ${total} files`;
}

function summary({ valid, invalid, unreadable, errors, warnings }: Counts): string {
  const files = valid + invalid + unreadable;
  if (files === 0) return 'No files: a folder is searched for names that end in .xml or .json.';
  const parts = [`${valid} valid`, `${invalid} invalid`, ...(unreadable > 0 ? [`${unreadable} unreadable`] : [])];
  return `${counted(files, 'file')}: ${parts.join(', ')} (${counted(errors, 'error')}, ${counted(warnings, 'warning')}).`;
}

/** For programs: without pieces of the file, which they have. */
function plain({ excerpts: _, ...report }: FileReport): Omit<FileReport, 'excerpts'> {
  return report;
}

function today(): string {
  return dayOf(systemClock.now());
}
