// `dropgate resend` sends one item again; `dropgate resubmit` all that was accepted since a time, after the service was restored.
import { counted } from '#domain/amounts.ts';
import { shortId } from '#domain/id.ts';
import type { AnswerOf } from '#operations/table.ts';
import { systemClock } from '#runtime/clock.ts';
import { plainCell } from './cells.ts';
import type { AddCommand } from './commands.ts';
import { ITEM_COLUMNS, sinceOf } from './operating.ts';

export const addResend: AddCommand = (commands) => {
  const input = (item: string | undefined, { account: accountRegNo }: { account?: string }) => ({
    ...(item !== undefined && { item }),
    ...(accountRegNo !== undefined && { accountRegNo }),
  });
  commands
    .asks('resend [item]', 'resend', input, (answer, config) => {
      const { isOne, sent, notSent } = answer;
      for (const { found, problem } of notSent) commands.terminal.complain(itemLine({ ...found, reason: problem }));
      const [first] = sent;
      const done =
        isOne && first
          ? `It is on its way again, as item ${shortId(first)}.`
          : `${counted(sent.length, 'item is on its', 'items are on their')} way again.`;
      commands.tell(config, {}, done);
    })
    .option('--account <accountRegNo>', 'all items of one account that are held');
};

interface ResubmitOptions {
  readonly since: string;
  readonly account?: string;
  readonly dryRun?: boolean;
}

export const addResubmit: AddCommand = (commands) => {
  const { terminal } = commands;
  const input = ({ since, account: accountRegNo, dryRun = false }: ResubmitOptions) => ({
    since: sinceOf('--since', since, systemClock.now()),
    dryRun,
    ...(accountRegNo !== undefined && { accountRegNo }),
  });
  const command = commands
    .asks('resubmit', 'resubmit', input, (answer, config) => {
      for (const each of answer) {
        if (each.problem === null) terminal.print(lineOf(each));
        else terminal.complain(lineOf(each));
      }
      const missing = answer.filter(({ problem }) => problem !== null).length;
      const sent = answer.length - missing;
      const isDry = command.opts<ResubmitOptions>().dryRun === true;
      const sending = isDry ? `${counted(sent, 'document would', 'documents would')} be` : counted(sent, 'document is', 'documents are');
      commands.tell(config, {}, `${sending} sent again, unless the service has ${sent === 1 ? 'it' : 'them'}; ${missing} cannot be.`);
    })
    .requiredOption('--since <time>', 'the time of the backup: 2026-11-20, 2026-11-20T14:30:00Z, 36h')
    .option('--account <accountRegNo>', 'only what one account sent')
    .option('--dry-run', 'only tell what would be sent');
};

function lineOf({ sentAgainAs, problem, ...found }: AnswerOf<'resubmit'>[number]): string {
  const reason = sentAgainAs === null ? problem : `sent again as ${shortId(sentAgainAs)}`;
  if ('item' in found) return itemLine({ ...found, reason });
  return [found.short, 'not in the ledger', found.home, found.original, reason ?? ''].map(plainCell).join('\t').trimEnd();
}

function itemLine(item: AnswerOf<'items'>[number]): string {
  return Object.values(ITEM_COLUMNS)
    .map((cellOf) => plainCell(cellOf(item)))
    .join('\t')
    .trimEnd();
}
