// Custody of items, put together: publisher and finisher at its end, the inbox at its beginning, and what brings ledger and spool together.
import type { ReceiptForm } from '#domain/receipt-forms.ts';
import type { Archive } from '#gateway/archive/archive.ts';
import { forgetEnded } from '#gateway/disk/incarnation.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { DryRun } from '#gateway/model/dry-run.ts';
import type { Item } from '#gateway/model/item.ts';
import { Finisher } from '#gateway/publish/finish.ts';
import { homeMaker } from '#gateway/publish/make-homes.ts';
import { Publisher, type PublishParts } from '#gateway/publish/publish.ts';
import { lockOwnStart } from '#runtime/files/lock.ts';
import type { Lifecycle } from '#runtime/lifecycle.ts';
import { startEpochs } from './epoch.ts';
import { Inbox, type InboxParts, type InboxSettings } from './inbox.ts';
import { recoverSpool, type TakenUp, takeUpSpool, type WaitParts, waitForFirst } from './recover.ts';
import { LateStrays } from './strays.ts';
import { TestRuns } from './test-runs.ts';

type PendingByHome = ReadonlyMap<string, readonly Item[]>;

export interface Custody {
  readonly publisher: Publisher;
  readonly finisher: Finisher;
  readonly inbox: Inbox;
  /** Makes the homes that were added since the last call. */
  ensureHomes(): Promise<void>;
  /** Brings ledger and spool of homes together, and publishes what is owed to them. */
  takeUp(homes: readonly string[]): Promise<Pick<TakenUp, 'ring'> & { readonly pending: PendingByHome }>;
  /** The home is not in hand any more. */
  giveUp(home: string): void;
  /** Another process was ended here. */
  ended(): Promise<void>;
  /** Another process has gone, whichever ended it. */
  gone(): Promise<void>;
}

interface CustodyOptions extends PublishParts, Omit<InboxParts, 'finisher' | 'tests'>, Pick<WaitParts, 'isFirst' | 'endLapsed'> {
  readonly dryRun: DryRun;
  readonly archive: Archive;
  readonly accounts: Accounts;
  readonly inbox: InboxSettings;
  /** The form of receipts where an account has not said. */
  readonly receipts: ReceiptForm;
}

/** Opens it, and brings ledger and spool together, which may have been lost or restored since the last start. */
export async function openCustody(options: CustodyOptions, life: Lifecycle): Promise<Custody> {
  const { data, accounts, inHand, log } = options;
  const publisher = life.own(new Publisher(options), (opened) => opened.close());
  const finisher = new Finisher({
    ...options,
    publisher,
    receiptForm: (accountRegNo) => accounts.find(accountRegNo)?.receipts ?? options.receipts,
    dropper: (login) => (login === null ? undefined : accounts.logins.find(login)),
    readers: (home) => accounts.readersOf(home),
  });
  const inbox = life.use(new Inbox({ ...options, finisher, tests: new TestRuns({ ...options, finisher }) }, options.inbox));
  const ensureHomes = homeMaker({ data, homes: () => accounts.inboxes(), log });
  await ensureHomes();
  const strays = life.use(new LateStrays(options));
  {
    // Not with the start locked: the first node needs that to bring them together.
    await waitForFirst(options);
    const waits = (): void => log.warn({ event: 'start.waits', sentence: `another start, or a command, works on ${data}` });
    using _starts = await lockOwnStart(data, waits);
    const { restored, left } = await recoverSpool({ ...options, finisher }, inHand.all);
    strays.adoptLater(left);
    if (restored) await accounts.refresh();
    await publisher.recover(inHand.all);
  }
  await inbox.recover();
  await forgetEnded(options);
  life.use(startEpochs(options));
  return {
    publisher,
    finisher,
    inbox,
    ensureHomes,
    async takeUp(only) {
      const { left, pending, ring } = await takeUpSpool({ ...options, finisher }, { only }, { restored: false, atStart: false });
      strays.adoptLater(left);
      await publisher.recover({ only });
      await forgetEnded(options);
      const byHome = Map.groupBy(pending, ({ home }) => home);
      for (const home of only) inbox.takeUp(home, byHome.get(home) ?? []);
      return { pending: byHome, ring };
    },
    giveUp: (home) => inbox.giveUp(home),
    ended: () => inbox.takeOverUnfinished(),
    gone: () => strays.look(),
  };
}
