// A question beside the specification: a service that does not have it is known for that, for a while.
import { RECEIVER_KEPT_MS } from '#contract/receivers.ts';
import { AppError, toAppError } from '#domain/error.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Budget } from './budget.ts';
import type { Answer } from './transport.ts';

/** A service that does not have the question answers this. */
const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 501]);

/** `cannot-be-asked`: the service does not have the question. `unknown`: it does not know now, or cannot be asked now. */
export type NoAnswer = { readonly kind: 'cannot-be-asked' } | { readonly kind: 'unknown'; readonly reason: string };

export interface QuestionParts<Told> {
  readonly budget: Pick<Budget, 'ask'>;
  readonly clock: Clock;
  /** What is asked about, for the log and for people. */
  readonly about: string;
  /** Undefined when the body does not tell it. */
  readonly parse: (body: Uint8Array) => Told | undefined;
}

export class OptionalQuestion<Told> {
  readonly #parts: QuestionParts<Told>;
  #notOfferedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(parts: QuestionParts<Told>) {
    this.#parts = parts;
  }

  /** Asks by the budget of an account. Never throws. */
  async ask(accountRegNo: string, request: () => Promise<Answer>): Promise<{ readonly kind: 'told'; readonly told: Told } | NoAnswer> {
    const { budget, clock, about, parse } = this.#parts;
    if (clock.now() < this.#notOfferedUntilMs) return { kind: 'cannot-be-asked' };
    try {
      // Documents come first: this leaves them a part of the budget.
      const { status, body } = await budget.ask(accountRegNo, 'poll', request);
      if (NOT_OFFERED.has(status)) {
        this.#notOfferedUntilMs = clock.now() + RECEIVER_KEPT_MS;
        return { kind: 'cannot-be-asked' };
      }
      const told = status === 200 ? parse(body) : undefined;
      if (!told) throw new AppError('internal', `the service answered ${status} when it was asked about a ${about}`);
      return { kind: 'told', told };
    } catch (error) {
      return { kind: 'unknown', reason: sentenceOf(toAppError(error)) };
    }
  }
}

function sentenceOf({ message }: AppError): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
