// What the commands about items share: the open operator, times and limits among the options, and how an item is told in a line.
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { shortId } from '#domain/id.ts';
import { visibleLines } from '#domain/visible.ts';
import type { FoundItem } from '#gateway/ledger/searches.ts';
import { nameText } from '#gateway/model/file-names.ts';
import { type Operator, openOperator } from '#gateway/operate/operator.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import type { Installation } from './commands.ts';
import { gatewayOf } from './ledgers.ts';
import { durationOf } from './options.ts';

/** Works on the gateway's ledger and homes, and closes the homes. */
export async function withOperator<Result>(on: Installation, work: (operator: Operator) => Promise<Result>): Promise<Result> {
  const { data, ledger, clock } = gatewayOf(on);
  // What a command has to say it prints; of the log only what somebody must look at.
  const log = openLog('error', process.stderr);
  await using operator = await openOperator({ data, ledger, clock, random: systemRandom, log, receipts: on.config.gateway.receipts });
  return await work(operator);
}

/** A moment: `2026-11-20`, `2026-11-20T14:30:00Z`, or how long ago: `36h`. Throws `usage`. */
export function sinceOf(option: string, text: string, nowMs: number): number {
  if (/^\d+[a-z]+$/.test(text)) return nowMs - durationOf(option, text, '1s', '3650d');
  const isMoment = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const ms = isMoment ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new AppError(
    'usage',
    `${option} must be a day such as 2026-11-20, a moment such as 2026-11-20T14:30:00Z, or a time ago such as 36h.`,
  );
}

/** Throws `usage`. */
export function limitOf(text: string, max: number): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new AppError('usage', `--limit must be a whole number from 1 to ${max}.`);
}

/** One line: id as names of receipts have it, state, when, account, document, file, and why. */
export function itemLine(found: FoundItem): string {
  const { family, documentId, network, state } = found;
  const document = documentId === null ? '-' : `${family} ${documentId}`;
  const told = network === null ? state : `${state}, ${network}`;
  const line = [
    shortId(found.item),
    told,
    isoTime(found.receivedAt),
    found.accountRegNo,
    document,
    nameText(found.fileName),
    found.reason ?? '',
  ];
  return visibleLines(line.join('\t').trimEnd());
}

/** As JSON shows it. */
export function itemFacts({ spoolName: _, receivedAt, endedAt, nextAttemptAt, fileName, ...facts }: FoundItem): Record<string, unknown> {
  return {
    ...facts,
    fileName: nameText(fileName),
    receivedAt: isoTime(receivedAt),
    endedAt: endedAt === null ? null : isoTime(endedAt),
    nextAttemptAt: facts.state === 'pending' ? isoTime(nextAttemptAt) : null,
  };
}
