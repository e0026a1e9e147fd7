// `dropgate resend` sends one item again; `dropgate resubmit` all that was accepted since a time, after the service was restored.
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { shortId } from '#domain/id.ts';
import { visibleLines } from '#domain/visible.ts';
import type { Operator } from '#gateway/operate/operator.ts';
import { type Resubmission, resendHeld, resendItem, resubmitAccepted } from '#gateway/operate/resend.ts';
import { systemClock } from '#runtime/clock.ts';
import type { AddCommand, Commands, Installation } from './commands.ts';
import { itemFacts, itemLine, sinceOf, withOperator } from './operating.ts';
import type { JsonOptions } from './options.ts';
import type { Terminal } from './terminal.ts';

export const addResend: AddCommand = (commands) => {
  const does = 'send a held or refused item again, or one that the network has refused';
  commands
    .change('resend [item]', does, async (on, id: string | undefined, { account }: { account?: string }) => {
      if ((id === undefined) === (account === undefined)) throw new AppError('usage', 'Name one item, or --account for all that are held.');
      return withOperator(on, async (operator) => {
        if (account !== undefined) return resendAll(commands.terminal, operator, account);
        return `It is on its way again, as item ${shortId(await resendItem(operator, id ?? ''))}.`;
      });
    })
    .option('--account <accountRegNo>', 'all items of one account that are held');
};

async function resendAll(terminal: Terminal, operator: Operator, accountRegNo: string): Promise<string> {
  let count = 0;
  for await (const { found, problem } of resendHeld(operator, accountRegNo)) {
    if (problem !== null) terminal.complain(lineOf(found, problem));
    else count++;
  }
  return `${counted(count, 'item is on its', 'items are on their')} way again.`;
}

interface ResubmitOptions extends JsonOptions {
  readonly since: string;
  readonly account?: string;
  readonly dryRun?: boolean;
}

export const addResubmit: AddCommand = (commands) => {
  const does = 'after the service was restored from a backup: send again what it accepted since, unless it has it';
  commands
    .onLedgers('resubmit', does, resubmit, (counts, { json }, config) => {
      if (json) return;
      const { sent, missing, dryRun } = counts;
      const sending = dryRun ? `${counted(sent, 'document would', 'documents would')} be` : counted(sent, 'document is', 'documents are');
      commands.tell(config, {}, `${sending} sent again, unless the service has ${sent === 1 ? 'it' : 'them'}; ${missing} cannot be.`);
    })
    .requiredOption('--since <time>', 'the time of the backup: 2026-11-20, 2026-11-20T14:30:00Z, 36h')
    .option('--account <accountRegNo>', 'only what one account sent')
    .option('--dry-run', 'only tell what would be sent')
    .option('--json', 'print one JSON object per document');

  function resubmit(on: Installation, { since, account: accountRegNo, dryRun = false, json = false }: ResubmitOptions) {
    const sinceMs = sinceOf('--since', since, systemClock.now());
    return withOperator(on, async (operator) => {
      let sent = 0;
      let missing = 0;
      for await (const resubmission of resubmitAccepted(operator, {
        sinceMs,
        dryRun,
        ...(accountRegNo !== undefined && { accountRegNo }),
      })) {
        if (resubmission.result && 'problem' in resubmission.result) missing++;
        else sent++;
        print(commands, resubmission, json);
      }
      return { sent, missing, dryRun };
    });
  }
};

function print(commands: Commands, { found, result }: Resubmission, asJson: boolean): void {
  const problem = result && 'problem' in result ? result.problem : null;
  const item = result && 'item' in result ? result.item : null;
  if (asJson) commands.printJson({ ...factsOf(found), sentAgainAs: item, problem });
  else if (problem === null) commands.terminal.print(lineOf(found, item === null ? null : `sent again as ${shortId(item)}`));
  else commands.terminal.complain(lineOf(found, problem));
}

function factsOf(found: Resubmission['found']): Record<string, unknown> {
  return 'item' in found ? itemFacts(found) : { home: found.home, original: `accepted/${found.original}` };
}

function lineOf(found: Resubmission['found'], reason: string | null): string {
  if ('item' in found) return itemLine({ ...found, reason });
  return visibleLines([found.short, 'not in the ledger', found.home, `accepted/${found.original}`, reason ?? ''].join('\t').trimEnd());
}
