// What the operations of a running daemon work on, opened when the first one comes, whichever face asks.
import { AppError } from '#domain/error.ts';
import type { Installation, Running } from '#operations/installation.ts';
import { openBeside } from '#operations/ledgers.ts';
import { runOperation } from '#operations/run.ts';
import type { OperationName } from '#operations/table.ts';
import type { Config } from '#runtime/config/config.ts';
import { Lifecycle } from '#runtime/lifecycle.ts';
import type { Log } from '#runtime/log.ts';

interface OpenedParts {
  readonly config: Config;
  readonly running: Running;
  readonly log: Log;
}

export class Opened implements AsyncDisposable {
  readonly #parts: OpenedParts;
  readonly #life = new Lifecycle();
  #installation: ReturnType<typeof openBeside> | undefined;
  #isClosed = false;

  constructor(parts: OpenedParts) {
    this.#parts = parts;
  }

  /** Has an operation run in the name of `caller`. Throws what it throws, and `locked` when the daemon is stopping. */
  async run(name: OperationName, input: unknown, caller: string, progress: Installation['progress'] = () => undefined): Promise<unknown> {
    return runOperation({ ...(await this.#open()), caller, progress }, name, input);
  }

  async #open(): ReturnType<typeof openBeside> {
    if (this.#isClosed) throw new AppError('locked', 'The daemon is stopping.');
    const { config, running, log } = this.#parts;
    this.#installation ??= openBeside(config, running, log, this.#life);
    try {
      return await this.#installation;
    } catch (error) {
      this.#installation = undefined;
      throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    return this.#life.stop();
  }
}
