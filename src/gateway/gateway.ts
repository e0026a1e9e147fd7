// The gateway, put together: what its parts share, custody of files, the work on homes, and the front, which accepts.
import { askDatabase } from '#engines/ask.ts';
import { Memory } from '#gateway/alarms/memory.ts';
import { gatewayWatchers } from '#gateway/alarms/watchers.ts';
import { askForFolder } from '#gateway/disk/folder-id.ts';
import { readLastPublication } from '#gateway/ledger/alarms.ts';
import type { NodeSettings } from '#gateway/nodes/join.ts';
import { Owners } from '#gateway/nodes/owners.ts';
import { readByMetrics } from '#gateway/operate/metrics.ts';
import { OWN_READING, type Reading, readingBeside } from '#gateway/reader/reading.ts';
import { startHints } from '#gateway/service/hints.ts';
import { openCustody } from '#gateway/spool/open-custody.ts';
import { openDryRun } from '#gateway/submit/dry-run.ts';
import { askForRoom } from '#runtime/files/disk.ts';
import { Lifecycle } from '#runtime/lifecycle.ts';
import { seldom } from '#runtime/seldom.ts';
import { type Base, openBase } from './base.ts';
import { openFront } from './front.ts';
import { hearHints } from './hints.ts';
import type { Gateway, GatewayOptions } from './options.ts';
import { type ListeningForHomes, startListeningForRings } from './rings.ts';
import { Work } from './work.ts';

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const life = new Lifecycle();
  try {
    return await open(options, life);
  } catch (error) {
    await life.stop();
    throw error;
  }
}

async function open(options: GatewayOptions, life: Lifecycle): Promise<Gateway> {
  const base = await openBase(options, life);
  const { parts, throttle } = base;
  const memory = await Memory.open(options.data, () => readLastPublication(parts.ledger.read), parts.inHand.check);
  const reading = readingOf(options);
  const dryRun = openDryRun({ ...parts, inspect: OWN_READING.inspect });
  const custody = await openCustody({ ...parts, dryRun, inbox: options.sftp, receipts: options.settings.receipts }, life);
  const work = await Work.start(options, base, custody, reading, life);
  const { poller, following, turnedAway } = work.transfers;
  let cut: AbortSignal | undefined;
  async function askDisk(): Promise<void> {
    await askForRoom(options.data);
    if (base.joined) await askForFolder(options.data, base.joined.folder);
  }
  const front = await openFront(options, base, custody, reading, life, () => cut);
  // What it cannot write it should not be given. A question that hangs is not asked beside itself.
  const ask = seldom(parts.clock, 0, () => Promise.all([askDatabase(parts.ledger), askDisk()]));
  base.joined?.lease.onRenewal(ask, (isWell) => front.sftp.accept(isWell && !cut));
  if (options.metrics) readByMetrics(options.metrics, { ...parts, sftp: front.sftp });
  const ring = hearHints({ ...parts, poller, following });
  const hints = life.own(await startHints({ ...parts, settings: options.hints, ring, throttle }), (started) => started.close());

  async function serve(): Promise<void> {
    await custody.ensureHomes();
    front.watch();
    work.watch();
    void hints.review();
  }
  await serve();
  work.submit();
  const listening = life.own(await startListeningForRings(options.queueServer, { ...parts, following }), (started) => started?.close());
  const owners = options.node && life.use(await shareHomes(options.node, base, work, listening));
  parts.accounts.onChange(async () => {
    const failed = (error: unknown): void => parts.log.error({ event: 'homes.not-taken', err: error });
    await (owners ? owners.look() : base.hand.takeAdded(parts.accounts.homes())).catch(failed);
    listening?.expectAdded();
    work.wake();
    await serve();
    front.sftp.review();
  });
  return {
    administration: base.administration,
    intake: custody.inbox,
    sftp: front.sftp,
    penalties: front.penalties,
    hintsUrl: hints.url,
    askLedger: () => askDatabase(parts.ledger),
    askDisk,
    refreshAccounts: () => parts.accounts.refresh().catch((error: unknown) => parts.log.error({ event: 'accounts.unread', err: error })),
    watchers: (rhythm) => gatewayWatchers({ ...parts, memory, late: work.pickup.late }, rhythm),
    ring: poller.ring,
    ringStatus: following.ring,
    ringTurnedAway: turnedAway.ring,
    takeUp: (home) => work.takeUp([home]),
    giveUp: (home) => work.giveUp(home),
    async close(signal) {
      cut = signal;
      const failed = (error: unknown): void => parts.log.warn({ event: 'node.homes-not-left', err: error });
      // While homes are given up a balancer sends ERPs to another node.
      if (owners) front.sftp.accept(false);
      await owners?.leave(signal).catch(failed);
      await life.stop();
    },
  };
}

/** One for all ways in and for what is sent: a document that was judged at its CLOSE is known when it is sent. */
function readingOf({ service }: GatewayOptions): Reading {
  return 'inspect' in service && service.inspect ? readingBeside(service.inspect) : OWN_READING;
}

function shareHomes(
  settings: NodeSettings,
  { parts, neighbours }: Base,
  work: Work,
  listening: ListeningForHomes | undefined,
): Promise<Owners> {
  return Owners.start({
    ...parts,
    neighbours,
    settings,
    async takeUp(homes) {
      listening?.expect(homes);
      try {
        await work.takeUp(homes);
      } catch (error) {
        for (const home of homes) if (!parts.inHand.has(home)) listening?.expectNoMore(home);
        throw error;
      }
    },
    async giveUp(home) {
      listening?.expectNoMore(home);
      await work.giveUp(home);
    },
    settle: (home) => work.settle(home),
    ended: () => work.ended(),
    gone: () => work.gone(),
  });
}
