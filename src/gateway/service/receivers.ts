// Whether a receiver can receive, as the service says, where it has the question.
import { parseReceiver, RECEIVER_KEPT_MS, type Receiver } from '#contract/addresses.ts';
import { LruCache } from '#runtime/cache.ts';
import { KeyedMutex, Semaphore } from '#runtime/concurrency.ts';
import { type NoAnswer, OptionalQuestion, type QuestionParts } from './optional-question.ts';

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

export function openReceivers(parts: QuestionParts): Receivers {
  const { clock } = parts;
  const kept = new LruCache<ToldReceiver>(KEPT_MAX);
  const asking = new KeyedMutex();
  const places = new Semaphore(AT_ONCE_MAX);
  const question = new OptionalQuestion(parts, 'receiver', parseReceiver);

  async function asked(accountRegNo: string, participant: string): Promise<ReceiverAnswer> {
    const answer = await places.run(() => question.ask(accountRegNo, participant));
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
