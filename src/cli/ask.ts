// How a command has an operation run: by the daemon on its data folder where one runs, otherwise by itself on the ledgers.
import { AppError } from '#domain/error.ts';
import { prepareData } from '#installation/data-folder.ts';
import { type AnswerOf, type InputOf, isAnswerOf, type OperationName } from '#operations/table.ts';
import type { Config } from '#runtime/config/config.ts';
import { askDaemon } from './control/client.ts';
import type { Terminal } from './terminal.ts';

/** Returns the answer of the operation. Throws what it throws. */
export async function ask<Name extends OperationName>(
  config: Config,
  name: Name,
  input: InputOf<Name>,
  { progress }: Pick<Terminal, 'progress'>,
): Promise<AnswerOf<Name>> {
  prepareData(config.data);
  try {
    const asked = await askDaemon(config.data, name, input, progress);
    const answer = asked ? asked.answer : await askLedgers(config, name, input, progress);
    if (isAnswerOf(name, answer)) return answer;
  } finally {
    progress('');
  }
  throw new AppError('internal', `The operation ${name} has no answer.`);
}

async function askLedgers(config: Config, name: OperationName, input: unknown, progress: Terminal['progress']): Promise<unknown> {
  const [{ withInstallation }, { runOperation }] = await Promise.all([import('#operations/ledgers.ts'), import('#operations/run.ts')]);
  return withInstallation(config, progress, (on) => runOperation(on, name, input));
}
