// A question about an address, which stands beside the specification: a service that does not have it is known for that, for a while. A receiver is kept
// (receivers.ts), a sender is not: an administrator may add the address at any moment.
import { type AddressRole, RECEIVER_KEPT_MS } from '#contract/addresses.ts';
import { AppError, toAppError } from '#domain/error.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Budget } from './budget.ts';
import type { CoreClient } from './core-client.ts';

/** A service that does not have the question answers this. */
const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 501]);

/** `cannot-be-asked`: the service does not have the question. `unknown`: it does not know now, or cannot be asked now. */
export type NoAnswer = { readonly kind: 'cannot-be-asked' } | { readonly kind: 'unknown'; readonly reason: string };

export type OptionalAnswer<Told> = { readonly kind: 'told'; readonly told: Told } | NoAnswer;

export interface QuestionParts {
  readonly client: Pick<CoreClient, 'address'>;
  readonly budget: Pick<Budget, 'ask'>;
  readonly clock: Clock;
}

export class OptionalQuestion<Told> {
  readonly #parts: QuestionParts;
  readonly #role: AddressRole;
  readonly #parse: (body: Uint8Array) => { readonly data: Told } | undefined;
  #notOfferedUntilMs = Number.NEGATIVE_INFINITY;

  /** `parse`: undefined when the body does not tell it. */
  constructor(parts: QuestionParts, role: AddressRole, parse: (body: Uint8Array) => { readonly data: Told } | undefined) {
    this.#parts = parts;
    this.#role = role;
    this.#parse = parse;
  }

  /** Asks by the key and the budget of an account. Never throws. */
  async ask(accountRegNo: string, participant: string): Promise<OptionalAnswer<Told>> {
    const { client, budget, clock } = this.#parts;
    if (clock.now() < this.#notOfferedUntilMs) return { kind: 'cannot-be-asked' };
    try {
      // Documents come first: this leaves them a part of the budget.
      const { status, body } = await budget.ask(accountRegNo, 'poll', () => client.address(accountRegNo, this.#role, participant));
      if (NOT_OFFERED.has(status)) {
        this.#notOfferedUntilMs = clock.now() + RECEIVER_KEPT_MS;
        return { kind: 'cannot-be-asked' };
      }
      const told = status === 200 ? this.#parse(body) : undefined;
      if (!told) throw new AppError('internal', `the service answered ${status} when it was asked about a ${this.#role}`);
      return { kind: 'told', told: told.data };
    } catch (error) {
      return { kind: 'unknown', reason: sentenceOf(toAppError(error)) };
    }
  }
}

function sentenceOf({ message }: AppError): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
