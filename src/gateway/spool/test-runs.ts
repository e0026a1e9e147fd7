// What is put into the folder `test`: judged as it would be for real before CLOSE is answered, reported by receipts, and never taken.
import { AppError } from '#domain/error.ts';
import type { DryRun, DryRunResult } from '#gateway/model/dry-run.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import { readBytes } from '#gateway/reader/inspect.ts';
import type { Clock } from '#runtime/clock.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';
import { openRateLimit, type RateLimit } from '#runtime/rate-limit.ts';
import type { Complete } from './take-into-custody.ts';

/** For so long a client waits for the end of its upload; clients that wait for less than a minute are rare. */
const TEST_MS_MAX = 20_000;
/** Bytes of the files that are judged at the same time. */
const JUDGED_BYTES_MAX = 64 * 1024 * 1024;
/** Of a home: so many files at once, and one more every second. Each leaves a report. */
const LIMIT = { burst: 2_000, perSecond: 1 };

interface TestRunsParts {
  readonly dryRun: DryRun;
  readonly finisher: Pick<Finisher, 'report'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A complete upload. */
interface Tested extends Pick<Complete, 'item' | 'home' | 'login' | 'name' | 'size'> {
  readonly path: string;
}

export class TestRuns {
  readonly #parts: TestRunsParts;
  readonly #limit: RateLimit;
  readonly #room = new Semaphore(JUDGED_BYTES_MAX);

  constructor(parts: TestRunsParts) {
    this.#parts = parts;
    this.#limit = openRateLimit(parts.clock, () => LIMIT);
  }

  /** Resolves when the report is durable. Throws `quota`, and `storage` where there is none. */
  async run(file: Tested): Promise<void> {
    const { clock, finisher, log } = this.#parts;
    if (!this.#limit.take(file.home))
      throw new AppError('quota', 'too many files were tested; nothing was kept of this one, test it in a few minutes');
    const receivedAt = clock.now();
    try {
      const { sha256, head, accountRegNo, outcome } = await this.#judgedInTime(file);
      const { item, home, login, name: fileName } = file;
      await finisher.report({ item, accountRegNo, home, login, fileName, sha256, receivedAt, head }, outcome);
    } catch (error) {
      log.error({ event: 'test.failed', home: file.home, login: file.login, size: file.size, err: error });
      throw new AppError('storage', 'the file could not be tested, and nothing was kept of it; test it again later', { cause: error });
    }
  }

  async #judgedInTime(file: Tested): Promise<DryRunResult & { readonly sha256: string }> {
    const late = Promise.withResolvers<never>();
    using _timer = this.#parts.clock.after(TEST_MS_MAX, () => late.reject(new AppError('internal', 'the judges are busy')));
    // Awaited here: the timer ends with this call.
    return await Promise.race([this.#judged(file), late.promise]);
  }

  async #judged({ home, path, size }: Tested): Promise<DryRunResult & { readonly sha256: string }> {
    using _place = await this.#room.take(size);
    const { bytes, sha256 } = await readBytes(path);
    return { ...(await this.#parts.dryRun({ home, bytes, sha256 })), sha256 };
  }
}
