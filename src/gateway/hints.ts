// Hints that a remote service has posted here, at any node: for a home that is in hand a look in a moment; otherwise the node that has it is told to look.
// Of a hint only that is believed.
import { pipelined } from '#engines/pipelined.ts';
import type { Queue, Topic } from '#engines/queue.ts';
import type { Following } from '#gateway/follow/statuses.ts';
import { hasRings, leaveRing } from '#gateway/ledger/rings.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Accounts } from '#gateway/model/account.ts';
import { feedId, feedOf } from '#gateway/model/feed.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Poller } from '#gateway/receive/poll.ts';
import type { HintRing } from '#gateway/service/hint-listener.ts';
import type { Clock } from '#runtime/clock.ts';

/** Hints of a feed within this time are passed on as one, and not before what they tell of can be read. */
const TOGETHER_MS = 1_500;
/** So that many hints take turns with what else is written. */
const PASSED_ON_AT_ONCE = 1;

/** So many rings wait for a home only where no node has it; the node that takes it up looks at all of its feeds. */
const WAITING_MAX = 1_000;

const LOOKS = ['incoming', 'status'] as const satisfies readonly Topic[];

interface HintParts {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly inHand: Pick<HomesInHand, 'has'>;
  readonly ledger: Ledger;
  readonly queue: Queue;
  /** Where nodes ring each other at once; otherwise rings are left in the ledger. */
  readonly ringOwner: ((home: string, topic: Topic, id: string) => boolean) | undefined;
  readonly poller: Pick<Poller, 'hint'>;
  readonly following: Pick<Following, 'ring'>;
  readonly clock: Clock;
}

export function hearHints({ accounts, inHand, ledger, queue, ringOwner, poller, following, clock }: HintParts): HintRing {
  queue.answer('hinted', PASSED_ON_AT_ONCE, async (id) => {
    const home = accounts.find(feedOf(id)?.accountRegNo ?? '')?.home;
    // Taking it up has looked at all.
    if (home === undefined || inHand.has(home)) return;
    if (ringOwner)
      for (const topic of LOOKS) {
        // This node is about to take it up.
        if (!ringOwner(home, topic, id)) queue.ring(topic, id);
      }
    else if (!(await hasRings(ledger.read, home, WAITING_MAX)))
      await ledger.write([], async (rows) => {
        await pipelined(...LOOKS.map((topic) => leaveRing(rows, { home, topic, id })));
      });
  });
  return (accountRegNo, family) => {
    const home = accounts.find(accountRegNo)?.home;
    if (home === undefined) return;
    if (!inHand.has(home)) {
      queue.ring('hinted', feedId({ accountRegNo, family }), clock.now() + TOGETHER_MS);
      return;
    }
    poller.hint(accountRegNo, family);
    following.ring(accountRegNo, family);
  };
}
