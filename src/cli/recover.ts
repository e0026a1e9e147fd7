// `dropgate recover`: brings the gateway's ledger and its spool together, or both ledgers to another key file.
import { counted } from '#domain/amounts.ts';
import { type AnswerOf, sentenceOf } from '#operations/table.ts';
import { ask } from './ask.ts';
import type { AddCommand } from './commands.ts';
import { configOf, type JsonOptions } from './options.ts';

interface RecoverOptions extends JsonOptions {
  readonly restored?: boolean;
  readonly newKey?: boolean;
}

/** Its own action, for it has one of two operations run. */
export const addRecover: AddCommand = (commands) => {
  const { terminal } = commands;
  const say = (lines: readonly (string | false)[]): void => {
    for (const line of lines) if (line !== false) terminal.print(line);
  };
  commands
    .configured('recover', sentenceOf('recover'))
    .option('--restored', 'the data folder comes from a backup: nothing open is sent before it was looked for at the service')
    .option('--new-key', 'the key file is lost: make do with another one, and list what must be set anew')
    .option('--json', 'print the answer as JSON')
    .action(async ({ restored = false, newKey = false, ...options }: RecoverOptions) => {
      const { config } = configOf(options);
      if (newKey) {
        const answer = await ask(config, 'recover.new-key', { restored }, terminal);
        commands.answer(answer, options, () => say(withNewKey(answer, config.data)));
      } else {
        const answer = await ask(config, 'recover', { restored }, terminal);
        commands.answer(answer, options, () => say(recovered(answer)));
      }
    });
};

function withNewKey({ keyFile, lost }: AnswerOf<'recover.new-key'>, data: string): string[] {
  const what = lost.length > 0 ? 'To be set anew:' : 'Nothing must be set anew.';
  return [`The ledgers in ${data} use the key file ${keyFile}. ${what}`, ...lost.map(({ kind, id, anew }) => `${kind} ${id}: ${anew}`)];
}

function recovered({ restored, adopted, returned, ended, held, cancelled }: AnswerOf<'recover'>): (string | false)[] {
  return [
    restored && 'Ledger and spool come from a backup: what is open is looked for at the service before it is sent.',
    `${counted(adopted, 'file of the spool was', 'files of the spool were')} adopted, ${counted(returned, 'finished one')} put back into their homes.`,
    `Rows without a file: ${ended} had ended, ${held} held, ${cancelled} cancelled.`,
  ];
}
