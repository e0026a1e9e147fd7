// A server that says nothing, though its connections stand: a question on a new connection shows it, and then nobody waits for the others any more.
import { type Clock, every } from '#runtime/clock.ts';
import { codeOf } from './failures.ts';
import type { Session } from './session.ts';

/** A session that has answered nothing from one look to the next is doubted. */
const LOOK_MS = 5_000;

/** So long what was found out holds for all who ask. */
const BELIEVED_MS = 2_500;

interface SilenceParts<Tables> {
  readonly clock: Clock;
  /** On a connection of its own; rejects when there is no answer in time. */
  readonly ask: () => Promise<void>;
  /** Those that are in use. */
  readonly sessions: () => Iterable<Session<Tables>>;
}

export class Silence<Tables> implements Disposable {
  readonly #parts: SilenceParts<Tables>;
  readonly #looking: Disposable;
  /** How often those that wait had answered at the last look. */
  readonly #answers = new WeakMap<Session<Tables>, number>();
  #asking: Promise<void> | null = null;
  /** The last time that there was no answer; null when there was one since. */
  #silent: { readonly error: unknown; readonly atMs: number } | null = null;

  constructor(parts: SilenceParts<Tables>) {
    this.#parts = parts;
    this.#looking = every(
      parts.clock,
      LOOK_MS,
      () => this.#look(),
      () => {},
    );
  }

  /** Throws while the server is silent. */
  async check(): Promise<void> {
    if (this.#silent === null) return;
    const { error, atMs } = this.#silent;
    if (this.#parts.clock.now() - atMs < BELIEVED_MS) throw error;
    await this.#ask();
  }

  [Symbol.dispose](): void {
    this.#looking[Symbol.dispose]();
  }

  async #look(): Promise<void> {
    const doubted = [...this.#parts.sessions()].filter((session) => this.#isDoubted(session));
    if (doubted.length === 0) return;
    await this.#ask().catch(() => {
      for (const session of doubted) session.abandon();
    });
  }

  #isDoubted(session: Session<Tables>): boolean {
    const { isWaiting, answers } = session;
    const isDoubted = isWaiting && this.#answers.get(session) === answers;
    if (isWaiting) this.#answers.set(session, answers);
    else this.#answers.delete(session);
    return isDoubted;
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#parts
      .ask()
      .catch((error: unknown) => {
        // What the server itself says is no silence.
        if (codeOf(error) !== undefined) return;
        this.#silent = { error, atMs: this.#parts.clock.now() };
        throw error;
      })
      .then(() => {
        this.#silent = null;
      })
      .finally(() => {
        this.#asking = null;
      });
    return this.#asking;
  }
}
