// The work: what goes to the service and comes from it, and what is tidied. A home is taken up, and given up, while the process runs; what is
// known of it in memory is known anew then, as at a start.
import { startFollowing } from '#gateway/follow/statuses.ts';
import { tellTurnedAway } from '#gateway/follow/turned-away.ts';
import { listenForLedgerRings } from '#gateway/operate/ledger-rings.ts';
import { type Pickup, startPickup } from '#gateway/publish/pick-up.ts';
import { startReconciling } from '#gateway/publish/reconcile.ts';
import { startTidying } from '#gateway/publish/tidy.ts';
import type { Reading } from '#gateway/reader/reading.ts';
import { openFeedClient } from '#gateway/receive/feed-client.ts';
import { HELD_BYTES_MAX } from '#gateway/receive/fetch-held.ts';
import { Poller } from '#gateway/receive/poll.ts';
import { readArchived, readPeriods } from '#gateway/retention/periods.ts';
import { startRetention } from '#gateway/retention/retention.ts';
import type { Custody } from '#gateway/spool/open-custody.ts';
import { tellOfLongWaits } from '#gateway/submit/long-waits.ts';
import { type Submitter, startSubmitting } from '#gateway/submit/submit.ts';
import { KeyedMutex, Semaphore } from '#runtime/concurrency.ts';
import type { Lifecycle } from '#runtime/lifecycle.ts';
import type { Base } from './base.ts';
import type { GatewayOptions } from './options.ts';
import { queueInHand } from './queue-in-hand.ts';

type Transfers = Awaited<ReturnType<typeof startTransfers>>;

/** What goes to the service and comes from it, for all homes; `submit` begins to submit. */
async function startTransfers(options: GatewayOptions, base: Base, { publisher, finisher }: Custody, reading: Reading, life: Lifecycle) {
  const { parts, access } = base;
  const { hinted, settings } = options;
  const { accounts, client, budget, inHand } = parts;
  life.use(listenForLedgerRings(parts));
  life.use(tellOfLongWaits({ ...parts, finisher }));
  const { inspect, fetched } = reading;
  let submitting: Submitter | undefined;
  life.own(parts, () => submitting?.close());
  const submit = (): void => {
    submitting = startSubmitting({ ...parts, ...submitSettings(options), inspect, finisher, renewKey: access.authority.renew });
  };
  const queue = queueInHand(parts.queue, inHand, accounts);
  const schedule = { hinted, pollMs: settings.poll, pollSilentMs: settings.pollSilent, reconcileMs: settings.reconcile };
  const feeds = openFeedClient(client, budget, () => submitting?.heard());
  const { archive } = parts;
  const held = new Semaphore(HELD_BYTES_MAX);
  const poller = life.use(new Poller({ ...parts, ...schedule, queue, feeds, publisher, archive, held, fetched }));
  const following = startFollowing({ ...parts, ...schedule, queue, finisher });
  const { ring } = await following.takeUp(inHand.all);
  ring();
  parts.ended.listen((_, feed) => feed && following.ring(feed.accountRegNo, feed.family));
  const turnedAway = tellTurnedAway({ ...parts, ...schedule, queue, finisher });
  life.own(parts.queue, (opened) => opened.close());
  return {
    poller,
    following,
    turnedAway,
    submit,
    submitter: () => submitting,
  };
}

function submitSettings({ environment, settings, sftp }: GatewayOptions) {
  return {
    environment,
    submits: settings.submits,
    requestTimeoutMs: settings.requestTimeout,
    limits: sftp,
    validate: settings.validate,
  };
}

/** The work on all homes, until they are given up one by one. */
export class Work {
  readonly pickup: Pick<Pickup, 'late'>;
  readonly #base: Base;
  readonly #custody: Custody;
  readonly #transfers: Transfers;
  /** A home is taken up when it has been given up, and the other way round. */
  readonly #inTurn = new KeyedMutex();

  static async start(options: GatewayOptions, base: Base, custody: Custody, reading: Reading, life: Lifecycle): Promise<Work> {
    const transfers = await startTransfers(options, base, custody, reading, life);
    const { parts, rules } = base;
    const { accounts } = parts;
    const given = { ...parts, settings: options.settings };
    const pickup = life.use(
      startPickup({ ...parts, homes: () => accounts.homes(), accounts: () => readArchived(parts.ledger.read, given), rules }),
    );
    const periods = () => readPeriods(parts.ledger.read, options.settings);
    life.use(startTidying({ ...parts, homes: () => accounts.inboxes(), periods }));
    life.use(startReconciling({ ...parts, publisher: custody.publisher }));
    life.use(startRetention(given));
    return new Work(base, custody, transfers, pickup);
  }

  private constructor(base: Base, custody: Custody, transfers: Transfers, pickup: Pickup) {
    this.pickup = pickup;
    this.#base = base;
    this.#custody = custody;
    this.#transfers = transfers;
  }

  get transfers(): Omit<Transfers, 'submit' | 'submitter'> {
    return this.#transfers;
  }

  /** Submitting starts last, so that a backlog does not delay opening the SFTP port. */
  submit(): void {
    this.#transfers.submit();
  }

  /** Begins with accounts that are served, or in hand, since the last call. */
  watch(): void {
    this.#transfers.poller.watch();
    this.#transfers.turnedAway.watch();
  }

  /** Accounts have changed, perhaps the key for which one rested. */
  wake(): void {
    this.#base.access.forgive();
    this.#transfers.submitter()?.wake();
  }

  /** All of them together. Throws `locked` where another has one; where it fails none is kept. */
  takeUp(homes: readonly string[]): Promise<void> {
    return this.#inTurn.runAll(homes, async () => {
      const { inHand } = this.#base.parts;
      const given = homes.filter((home) => !inHand.has(home));
      if (given.length === 0) return;
      await this.#base.hand.take(given);
      try {
        // Read before: once they are in hand nothing may fail.
        const { ring } = await this.#transfers.following.takeUp({ only: given });
        await this.#begin(given);
        ring();
      } catch (error) {
        for (const home of given) if (!inHand.has(home)) await this.#base.hand.leave(home);
        throw error;
      }
      this.watch();
    });
  }

  async #begin(homes: readonly string[]): Promise<void> {
    const taking = this.#custody.takeUp(homes);
    const submitter = this.#transfers.submitter();
    await Promise.all(
      homes.map(async (home) => {
        const waiting = taking.then(({ pending }) => pending.get(home) ?? []);
        if (submitter) return submitter.takeUp(home, waiting);
        await waiting;
        this.#base.parts.inHand.take(home);
      }),
    );
    (await taking).ring();
  }

  /** Another process was ended here: what it has left unfinished is gone on with here. */
  ended(): Promise<void> {
    return this.#custody.ended();
  }

  /** Another process has gone: what it was taking for homes in hand is adopted. */
  gone(): Promise<void> {
    return this.#custody.gone();
  }

  /** A home that is not in hand here is nobody's by its row either, though a move of it broke off. */
  settle(home: string): Promise<void> {
    return this.#inTurn.run(home, async () => {
      if (!this.#base.parts.inHand.has(home)) await this.#base.hand.leave(home);
    });
  }

  giveUp(home: string): Promise<void> {
    return this.#inTurn.run(home, async () => {
      await this.#base.parts.inHand.giveUp(home);
      this.#custody.giveUp(home);
      await this.#custody.publisher.confirm();
      await this.#base.hand.leave(home);
      this.watch();
    });
  }
}
