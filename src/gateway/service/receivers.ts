// Whether a receiver can receive, as the service says, where it has the question.
import { parseReceiver, RECEIVER_KEPT_MS, type Receiver } from '#contract/receivers.ts';
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';
import { KeyedMutex, Semaphore } from '#runtime/concurrency.ts';
import type { Budget } from './budget.ts';
import type { CoreClient } from './core-client.ts';
import { type NoAnswer, OptionalQuestion } from './optional-question.ts';

const KEPT_MAX = 10_000;
/** Questions of all accounts together: documents need connections, too. */
const AT_ONCE_MAX = 8;

interface ToldReceiver {
  readonly kind: 'told';
  readonly receiver: Receiver;
  readonly askedAtMs: number;
}

export type ReceiverAnswer = ToldReceiver | NoAnswer;

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
  const kept = new LruCache<ToldReceiver>(KEPT_MAX);
  const asking = new KeyedMutex();
  const places = new Semaphore(AT_ONCE_MAX);
  const question = new OptionalQuestion({ budget, clock, about: 'receiver', parse: parseReceiver });

  async function asked(accountRegNo: string, participant: string): Promise<ReceiverAnswer> {
    const answer = await places.run(() => question.ask(accountRegNo, () => client.receiver(accountRegNo, participant)));
    if (answer.kind !== 'told') return answer;
    const receiver = answer.told;
    return receiver.canReceive === 'unknown'
      ? { kind: 'unknown', reason: receiver.reason ?? 'The service does not say why.' }
      : { kind: 'told', receiver, askedAtMs: clock.now() - (receiver.ageMs ?? 0) };
  }

  return {
    ask: (accountRegNo, participant) =>
      asking.run(participant, async () => {
        const key = `${accountRegNo} ${participant}`;
        const before = kept.get(key);
        if (before && clock.now() < before.askedAtMs + RECEIVER_KEPT_MS) return before;
        const answer = await asked(accountRegNo, participant);
        if (answer.kind === 'told') kept.put(key, answer);
        return answer;
      }),
  };
}
