// `dropgate account export` and `account erase`: all that there is of one account, handed out or erased. Each says what it will do, and asks once.
import { resolve } from 'node:path';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { type AnswerOf, type InputOf, sentenceOf } from '#operations/table.ts';
import { ask } from './ask.ts';
import type { Commands } from './commands.ts';
import { configOf, type JsonOptions } from './options.ts';
import type { Terminal } from './terminal.ts';

interface AskedOptions extends JsonOptions {
  readonly yes?: boolean;
}

interface EraseOptions extends AskedOptions {
  readonly archive?: boolean;
}

interface ExportOptions extends AskedOptions {
  readonly to: string;
}

export function addAccountData(account: Commands): void {
  const { terminal } = account;
  withYes(account.configured('export <accountRegNo>', sentenceOf('account.export')))
    .requiredOption('--to <folder>', 'a folder that is not there yet')
    .action(async (accountRegNo: string, options: ExportOptions) => {
      const { config } = configOf(options);
      const to = resolve(options.to);
      await confirm(terminal, options, accountRegNo, [`Everything of account ${accountRegNo} will be written to ${to}, in clear.`]);
      const answer = await ask(config, 'account.export', { accountRegNo, to }, terminal);
      const what = `${counted(answer.messages, 'message')}, ${counted(answer.items, 'dropped file')}, ${counted(answer.received, 'received document')}`;
      account.tell(config, options, { facts: answer, done: `Account ${accountRegNo} was written to ${to}: ${what}.` });
    });
  withYes(account.configured('erase <accountRegNo>', sentenceOf('account.erase')))
    .option('--archive', 'with the copies of its documents in the archive')
    .action(async (accountRegNo: string, options: EraseOptions) => {
      const { config } = configOf(options);
      const input: InputOf<'account.erase'> = { accountRegNo, archive: options.archive === true, dryRun: false };
      await confirm(terminal, options, accountRegNo, willErase(await ask(config, 'account.erase', { ...input, dryRun: true }, terminal)));
      const answer = await ask(config, 'account.erase', input, terminal);
      account.tell(config, options, {
        facts: answer,
        done: `Account ${accountRegNo} was erased; digests of what it has sent stay.`,
        more: [!answer.isWiped && 'The files of the database may still hold some of it: docs/operations.md says how to rewrite them.'],
      });
    });
}

function withYes(command: ReturnType<Commands['configured']>) {
  return command.option('--yes', 'do not ask').option('--json', 'print the answer as JSON');
}

function willErase({ accountRegNo, messages, items, held, isOwnHome, archive }: AnswerOf<'account.erase'>): string[] {
  return [
    `All of account ${accountRegNo} will be erased, and nothing of it can be restored from here:`,
    `- ${counted(messages, 'message')} of the core with their documents, and its keys, addresses and webhooks;`,
    `- ${counted(items, 'dropped file')} in the ledger${held > 0 ? `, of which ${held} are held and were perhaps not sent` : ''}, and what was received for it;`,
    `- ${isOwnHome ? 'its home with all files in it' : 'of the home that it shares, the files that are known to be its own'};`,
    archive ? '- the copies of its documents in the archive.' : 'Its archive stays; --archive erases it, too.',
    'Backups, logs, and documents that other accounts got from it are not touched.',
  ];
}

/** Says what will be done, and has the number of the account written once more. Throws `usage` where it is another one. */
async function confirm(terminal: Terminal, { yes }: AskedOptions, accountRegNo: string, lines: readonly string[]): Promise<void> {
  if (yes) return;
  for (const line of lines) terminal.print(line);
  terminal.print(`Write ${accountRegNo} to go on:`);
  const answer = await terminal.readSecret('number of the account');
  if (answer.trim() !== accountRegNo) throw new AppError('usage', 'That is not the number of the account, so nothing was done.');
}
