// Whether an account may send from an address, as the service says, where it has the question. What it says is not kept: an administrator may add the address
// at any moment.
import { parseSender, type Sender } from '#contract/senders.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Budget } from './budget.ts';
import type { CoreClient } from './core-client.ts';
import { type NoAnswer, OptionalQuestion } from './optional-question.ts';

export type SenderAnswer = { readonly kind: 'told'; readonly told: Sender } | NoAnswer;

/** Asks by the key and the budget of an account. Never throws. */
export interface Senders {
  ask(accountRegNo: string, participant: string): Promise<SenderAnswer>;
}

export interface SendersParts {
  readonly client: Pick<CoreClient, 'sender'>;
  readonly budget: Pick<Budget, 'ask'>;
  readonly clock: Clock;
}

export function openSenders({ client, budget, clock }: SendersParts): Senders {
  const question = new OptionalQuestion({ budget, clock, about: 'sender', parse: parseSender });
  return {
    ask: (accountRegNo, participant) => question.ask(accountRegNo, () => client.sender(accountRegNo, participant)),
  };
}
