// How a command has an operation run.
import { AppError } from '#domain/error.ts';
import { type AnswerOf, type InputOf, isAnswerOf, type OperationName, runOperation } from '#operations/table.ts';
import type { Config } from '#runtime/config/config.ts';
import type { Terminal } from './terminal.ts';

/** Runs the operation on the ledgers, and returns its answer. Throws what it throws. */
export async function ask<Name extends OperationName>(
  config: Config,
  name: Name,
  input: InputOf<Name>,
  { progress }: Pick<Terminal, 'progress'>,
): Promise<AnswerOf<Name>> {
  const { withInstallation } = await import('./ledgers.ts');
  const answer = await withInstallation(config, progress, (on) => runOperation(on, name, input));
  progress('');
  if (isAnswerOf(name, answer)) return answer;
  throw new AppError('internal', `The operation ${name} has no answer.`);
}
