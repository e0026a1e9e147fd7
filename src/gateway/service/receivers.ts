// Whether a receiver can receive, as the service says. The question is optional: a service that does not have it is known for that, for a while.
import { parseReceiver, RECEIVER_KEPT_MS, type Receiver } from '#contract/receivers.ts';
import { AppError, toAppError } from '#domain/error.ts';
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';
import { KeyedMutex, Semaphore } from '#runtime/concurrency.ts';
import type { Budget } from './budget.ts';
import type { CoreClient } from './core-client.ts';

const KEPT_MAX = 10_000;
/** Questions of all accounts together: documents need connections, too. */
const AT_ONCE_MAX = 8;
/** A service that does not have the question answers this. */
const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 501]);

/** `cannot-be-asked`: the service does not have the question. `unknown`: it does not know now, or cannot be asked now. */
export type ReceiverAnswer =
  | { readonly kind: 'told'; readonly receiver: Receiver; readonly askedAtMs: number }
  | { readonly kind: 'cannot-be-asked' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Asks by the key and the budget of an account. Never throws. */
export interface Receivers {
  ask(accountRegNo: string, participant: string): Promise<ReceiverAnswer>;
}

export interface ReceiversParts {
  readonly client: Pick<CoreClient, 'receiver'>;
  readonly budget: Pick<Budget, 'ask'>;
  readonly clock: Clock;
}

export function openReceivers({ client, budget, clock }: ReceiversParts): Receivers {
  const kept = new LruCache<Extract<ReceiverAnswer, { kind: 'told' }>>(KEPT_MAX);
  const asking = new KeyedMutex();
  const places = new Semaphore(AT_ONCE_MAX);
  let notOfferedUntilMs = Number.NEGATIVE_INFINITY;

  async function asked(accountRegNo: string, participant: string): Promise<ReceiverAnswer> {
    // Documents come first: this leaves them a part of the budget.
    const { status, body } = await budget.ask(accountRegNo, 'poll', () => client.receiver(accountRegNo, participant));
    if (NOT_OFFERED.has(status)) {
      notOfferedUntilMs = clock.now() + RECEIVER_KEPT_MS;
      return { kind: 'cannot-be-asked' };
    }
    const receiver = status === 200 ? parseReceiver(body) : undefined;
    if (!receiver) throw new AppError('internal', `the service answered ${status} when it was asked about a receiver`);
    return receiver.canReceive === 'unknown'
      ? { kind: 'unknown', reason: receiver.reason ?? 'The service does not say why.' }
      : { kind: 'told', receiver, askedAtMs: clock.now() - (receiver.ageMs ?? 0) };
  }

  return {
    ask: (accountRegNo, participant) =>
      asking.run(participant, async () => {
        const now = clock.now();
        if (now < notOfferedUntilMs) return { kind: 'cannot-be-asked' };
        const key = `${accountRegNo} ${participant}`;
        const before = kept.get(key);
        if (before && now < before.askedAtMs + RECEIVER_KEPT_MS) return before;
        const answer = await places
          .run(() => asked(accountRegNo, participant))
          .catch((error): ReceiverAnswer => {
            return { kind: 'unknown', reason: sentenceOf(toAppError(error)) };
          });
        if (answer.kind === 'told') kept.put(key, answer);
        return answer;
      }),
  };
}

function sentenceOf({ message }: AppError): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
