// `dropgate audit`: what people have done here, and whether what is written down of it is whole.
import { existsSync } from 'node:fs';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { parsedJson } from '#domain/json.ts';
import { lostKey, masterKeyPath } from '#installation/master-key.ts';
import { type StoredLine, storedLines, trailFiles } from '#runtime/audit/trail.ts';
import { verifyTrail } from '#runtime/audit/verify.ts';
import { systemRandom } from '#runtime/clock.ts';
import { isRecord } from '#runtime/config/kinds.ts';
import { openSeal } from '#runtime/seal.ts';
import type { Cell } from './cells.ts';
import type { AddCommand, Commands } from './commands.ts';
import { type ConfigOptions, configOf, type JsonOptions } from './options.ts';

const BROKEN = 1;

interface ListOptions extends JsonOptions {
  readonly limit: string;
}

interface VerifyOptions extends ConfigOptions {
  readonly last?: string;
}

export const addAuditCommands: AddCommand = (commands) => {
  const audit = commands.group('audit');
  audit
    .configured('list', 'list acts of people, the latest first: when, who, what, with what, and what it has changed')
    .option('--limit <number>', 'so many at the most', '100')
    .option('--json', 'print one JSON object per line')
    .action((options: ListOptions) => list(audit, options));
  audit
    .configured('verify', 'see whether the audit trail is whole, and name the first line that is not. Exit status 1 when it is not')
    .option('--last <mac>', 'a MAC that the log tells (audit.written): the line that it belongs to must be there')
    .action((options: VerifyOptions) => verify(audit, options));
};

function list(commands: Commands, { limit, ...options }: ListOptions): void {
  const max = Number(limit);
  if (!Number.isInteger(max) || max < 1) throw new AppError('usage', '--limit must be a whole number above 0.');
  const { config } = configOf(options);
  const lines: StoredLine[] = [];
  for (const file of trailFiles(config.data).reverse()) {
    lines.push(...[...storedLines(file)].reverse());
    if (lines.length >= max) break;
  }
  const acts = lines.slice(0, max).map(({ body }) => parsedJson(body));
  const table = commands.table<unknown>('acts of people', COLUMNS);
  commands.answer(acts, options, () => table(acts, config));
}

const of = (act: unknown, name: string): unknown => (isRecord(act) ? act[name] : undefined);
const COLUMNS: Readonly<Record<string, (act: unknown) => Cell>> = {
  at: (act) => ({ at: String(of(act, 'at')) }),
  who: (act) => String(of(act, 'who')),
  what: (act) => String(of(act, 'what')),
  given: (act) => JSON.stringify(of(act, 'given')),
  changes: (act) => changesOf(of(act, 'before'), of(act, 'after'), of(act, 'failed')),
};

function changesOf(before: unknown, after: unknown, failed: unknown): string {
  if (failed !== undefined) return `failed: ${failed}`;
  return before === undefined && after === undefined ? '' : `${JSON.stringify(before ?? null)} -> ${JSON.stringify(after ?? null)}`;
}

async function verify(commands: Commands, { last, ...options }: VerifyOptions): Promise<void> {
  const { config } = configOf(options);
  const lost = await lostKey(config);
  if (lost !== undefined || !existsSync(masterKeyPath(config))) throw new AppError('usage', lost ?? 'There is no key file yet.');
  const seal = await openSeal(masterKeyPath(config), systemRandom);
  const verified = verifyTrail(config.data, seal, last ?? null);
  if (verified.broken !== null) {
    commands.terminal.print(verified.broken);
    commands.end(BROKEN);
    return;
  }
  const end = verified.last ? `, the last one is line ${verified.last.sequence}, with the MAC ${verified.last.mac}` : '';
  commands.tell(config, {}, `The audit trail is whole: ${counted(verified.lines, 'line', 'lines')}${end}.`);
}
