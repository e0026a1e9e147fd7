// `dropgate resend` sends one item again; `dropgate resubmit` all that was accepted since a time, after the service was restored.
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { shortId } from '#domain/id.ts';
import { visibleLines } from '#domain/visible.ts';
import type { Operator } from '#gateway/operate/operator.ts';
import { type Resubmission, resendHeld, resendItem, resubmitAccepted } from '#gateway/operate/resend.ts';
import { systemClock } from '#runtime/clock.ts';
import { type AddCommand, type ConfigOptions, configured, type JsonOptions, printJson, tellDone } from './command.ts';
import { itemFacts, itemLine, sinceOf, withOperator } from './operating.ts';
import type { Terminal } from './terminal.ts';

interface ResendOptions extends ConfigOptions {
  readonly account?: string;
}

export const addResend: AddCommand = (parent, terminal) => {
  configured(parent, 'resend [item]', 'send a held or refused item again, or one that the network has refused')
    .option('--account <accountRegNo>', 'all items of one account that are held')
    .action(async (id: string | undefined, options: ResendOptions) => {
      const { account } = options;
      if ((id === undefined) === (account === undefined)) throw new AppError('usage', 'Name one item, or --account for all that are held.');
      await withOperator(options, (operator) =>
        account === undefined ? resendOne(terminal, operator, id ?? '') : resendAll(terminal, operator, account),
      );
    });
};

async function resendOne(terminal: Terminal, operator: Operator, id: string): Promise<void> {
  tellDone(terminal, operator, `It is on its way again, as item ${shortId(await resendItem(operator, id))}.`);
}

async function resendAll(terminal: Terminal, operator: Operator, accountRegNo: string): Promise<void> {
  let count = 0;
  for await (const { found, problem } of resendHeld(operator, accountRegNo)) {
    if (problem !== null) terminal.complain(lineOf(found, problem));
    else count++;
  }
  tellDone(terminal, operator, `${counted(count, 'item is on its', 'items are on their')} way again.`);
}

interface ResubmitOptions extends JsonOptions {
  readonly since: string;
  readonly account?: string;
  readonly dryRun?: boolean;
}

export const addResubmit: AddCommand = (parent, terminal) => {
  configured(parent, 'resubmit', 'after the service was restored from a backup: send again what it accepted since, unless it has it')
    .requiredOption('--since <time>', 'the time of the backup: 2026-11-20, 2026-11-20T14:30:00Z, 36h')
    .option('--account <accountRegNo>', 'only what one account sent')
    .option('--dry-run', 'only tell what would be sent')
    .option('--json', 'print one JSON object per document')
    .action(async (options: ResubmitOptions) => {
      const { account: accountRegNo, dryRun = false } = options;
      const chosen = {
        sinceMs: sinceOf('--since', options.since, systemClock.now()),
        dryRun,
        ...(accountRegNo !== undefined && { accountRegNo }),
      };
      await withOperator(options, async (operator) => {
        let sent = 0;
        let missing = 0;
        for await (const resubmission of resubmitAccepted(operator, chosen)) {
          if (resubmission.result && 'problem' in resubmission.result) missing++;
          else sent++;
          print(terminal, resubmission, options.json === true);
        }
        if (options.json) return;
        const sending = dryRun ? `${counted(sent, 'document would', 'documents would')} be` : counted(sent, 'document is', 'documents are');
        tellDone(terminal, operator, `${sending} sent again, unless the service has ${sent === 1 ? 'it' : 'them'}; ${missing} cannot be.`);
      });
    });
};

function print(terminal: Terminal, { found, result }: Resubmission, asJson: boolean): void {
  const problem = result && 'problem' in result ? result.problem : null;
  const item = result && 'item' in result ? result.item : null;
  if (asJson) printJson(terminal, { ...factsOf(found), sentAgainAs: item, problem });
  else if (problem === null) terminal.print(lineOf(found, item === null ? null : `sent again as ${shortId(item)}`));
  else terminal.complain(lineOf(found, problem));
}

function factsOf(found: Resubmission['found']): Record<string, unknown> {
  return 'item' in found ? itemFacts(found) : { home: found.home, original: `accepted/${found.original}` };
}

function lineOf(found: Resubmission['found'], reason: string | null): string {
  if ('item' in found) return itemLine({ ...found, reason });
  return visibleLines([found.short, 'not in the ledger', found.home, `accepted/${found.original}`, reason ?? ''].join('\t').trimEnd());
}
