// How a command has an operation run: by the daemon on its data folder, or by itself, as the table of operations says.
import { AppError } from '#domain/error.ts';
import { prepareData, prepareFolder } from '#installation/data-folder.ts';
import { isClosed } from '#operations/closed-table.ts';
import type { RunBy } from '#operations/entry.ts';
import { type AnswerOf, type InputOf, isAnswerOf, type OperationName, runByOf } from '#operations/table.ts';
import { callerName } from '#runtime/audit/caller.ts';
import type { Config } from '#runtime/config/config.ts';
import { askDaemon } from './control/client.ts';
import type { Terminal } from './terminal.ts';

interface Asked {
  readonly config: Config;
  readonly name: OperationName;
  readonly input: unknown;
  readonly progress: Terminal['progress'];
}

const WAYS: Readonly<Record<RunBy, (asked: Asked) => Promise<unknown>>> = {
  async daemon(asked) {
    const { config, name, input, progress } = asked;
    prepareData(config.data);
    const answered = await askDaemon(config, name, input, progress);
    return answered ? answered.answer : runHere(asked);
  },
  asker: runHere,
  async 'asker alone'(asked) {
    const { data } = asked.config;
    prepareFolder(data);
    const { lockAlone } = await import('#runtime/files/lock.ts');
    using _lock = lockAlone(data);
    return await runHere(asked);
  },
};

/** Returns the answer of the operation. Throws what it throws, and `locked` where it is run while no daemon runs. */
export async function ask<Name extends OperationName>(
  config: Config,
  name: Name,
  input: InputOf<Name>,
  { progress }: Pick<Terminal, 'progress'>,
): Promise<AnswerOf<Name>> {
  try {
    const answer = await WAYS[runByOf(name)]({ config, name, input, progress });
    if (isAnswerOf(name, answer)) return answer;
  } finally {
    progress('');
  }
  throw new AppError('internal', `The operation ${name} has no answer.`);
}

async function runHere({ config, name, input, progress }: Asked): Promise<unknown> {
  if (isClosed(name)) {
    const { runClosed } = await import('#operations/run-closed.ts');
    return runClosed({ config, caller: callerName(), running: null, progress }, name, input);
  }
  const [{ withInstallation }, { runOperation }] = await Promise.all([import('#operations/ledgers.ts'), import('#operations/run.ts')]);
  return withInstallation(config, progress, (on) => runOperation(on, name, input));
}
