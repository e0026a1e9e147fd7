// The gateway, put together: ways in (SFTP, folders), inbox and spool, submit, receipts, receive and outbox.
import { join } from 'node:path';
import type { FamilyName } from '#domain/family.ts';
import { itemIds } from '#domain/id.ts';
import { openQueue } from '#engines/open.ts';
import { LedgerAccounts } from '#gateway/accounts/accounts.ts';
import { beginIncarnation } from '#gateway/disk/incarnation.ts';
import { homeFolder, sealPath } from '#gateway/disk/paths.ts';
import { startFollowing } from '#gateway/follow/statuses.ts';
import { tellTurnedAway } from '#gateway/follow/turned-away.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { readSealed } from '#gateway/ledger/sealed.ts';
import { ItemEnded } from '#gateway/model/item-ended.ts';
import { listenForCommands } from '#gateway/operate/command-notifications.ts';
import { openArchive } from '#gateway/publish/archive.ts';
import { outboxRules } from '#gateway/publish/outbox.ts';
import { startPickup } from '#gateway/publish/pick-up.ts';
import { startTidying } from '#gateway/publish/tidy.ts';
import { inspect, inspectBy } from '#gateway/reader/inspect.ts';
import { openFeedClient } from '#gateway/receive/feed-client.ts';
import { HELD_BYTES_MAX } from '#gateway/receive/ingest.ts';
import { Poller } from '#gateway/receive/poll.ts';
import { openServiceAccess } from '#gateway/service/access.ts';
import { startHints } from '#gateway/service/hints.ts';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { RejectBook } from '#gateway/sftp/reject-book.ts';
import { startSftpServer } from '#gateway/sftp/server.ts';
import { measureHome } from '#gateway/spool/home-usage.ts';
import { type Custody, openCustody } from '#gateway/spool/open-custody.ts';
import { HomeQuotas } from '#gateway/spool/quotas.ts';
import { tellOfLongWaits } from '#gateway/submit/long-waits.ts';
import { startSubmitting } from '#gateway/submit/submit.ts';
import { watchedFolders } from '#gateway/watch/folder.ts';
import { FolderWatcher } from '#gateway/watch/watch.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import { Lifecycle } from '#runtime/lifecycle.ts';
import { LogThrottle } from '#runtime/log-throttle.ts';
import { openSeal, refuseForeign } from '#runtime/seal.ts';
import type { Gateway, GatewayOptions } from './options.ts';

/** One process serves a data folder, so its leases carry one name, and a restart may void them. */
const OWNER = 'gateway';

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const life = new Lifecycle();
  try {
    const base = await openBase(options, life);
    const custody = await openCustody({ ...base.parts, owner: OWNER, inbox: options.sftp, receipts: options.settings.receipts }, life);
    const transfers = await startTransfers(options, base, custody, life);
    return await openWays(options, base, custody, transfers, life);
  } catch (error) {
    await life.stop();
    throw error;
  }
}

type Base = Awaited<ReturnType<typeof openBase>>;
type Transfers = Awaited<ReturnType<typeof startTransfers>>;

/** What all parts work with: the ledger, who is served, and the way to the service. */
async function openBase({ data, service, settings, clock, random, log, ...options }: GatewayOptions, life: Lifecycle) {
  const incarnation = life.own(beginIncarnation(data, random), (begun) => begun[Symbol.dispose]()).id;
  const ledger = life.own(await openGatewayLedger(data, options.databaseServer), (opened) => opened.close());
  const seal = await openSeal(options.sealPath ?? sealPath(data), random);
  refuseForeign(seal, await readSealed(ledger.read));
  const accounts = life.own(await LedgerAccounts.open({ ledger, seal, clock, log }), (opened) => opened[Symbol.dispose]());
  const requestTimeoutMs = settings.requestTimeout;
  const access = life.own(openServiceAccess({ service, requestTimeoutMs, accounts, clock, log }), (opened) => opened.close());
  const throttle = life.own(new LogThrottle(log, clock), (opened) => opened[Symbol.dispose]());
  const lines = throttle.lines(log, ({ login }) => ({ session: null, by: { login: String(login) } }));
  const queue = openQueue(clock, log);
  const parts = {
    newId: itemIds(clock.now, random),
    data,
    incarnation,
    ledger,
    folders: new FolderSync(),
    queue,
    clock,
    random,
    log,
    lines,
  };
  const { client, budget } = access;
  return {
    parts: { ...parts, client, budget, accounts, ended: new ItemEnded() },
    access,
    throttle,
    rules: outboxRules(accounts, settings),
  };
}

/** What goes to the service and comes from it. Submitting is begun by the caller. */
async function startTransfers(options: GatewayOptions, { parts, access, rules }: Base, { publisher, finisher }: Custody, life: Lifecycle) {
  const { environment, hinted, service, settings, sftp } = options;
  const { client, budget, queue } = parts;
  life.own(listenForCommands(parts), (started) => started[Symbol.dispose]());
  life.own(tellOfLongWaits({ ...parts, finisher }), (started) => started[Symbol.dispose]());
  let submitting: ReturnType<typeof startSubmitting> | undefined;
  life.own(parts, () => submitting?.close());
  const submit = (): void => {
    submitting = startSubmitting({
      ...parts,
      finisher,
      environment,
      owner: OWNER,
      submits: settings.submits,
      requestTimeoutMs: settings.requestTimeout,
      fileMax: sftp.fileMax,
      inspect: 'inspect' in service && service.inspect ? inspectBy(service.inspect) : inspect,
      validate: settings.validate,
      renewKey: access.authority.renew,
    });
  };
  const schedule = { hinted, pollMs: settings.poll, pollSilentMs: settings.pollSilent, reconcileMs: settings.reconcile };
  const feeds = openFeedClient(client, budget, () => submitting?.heard());
  const archive = openArchive({ ...parts, rules });
  const held = new Semaphore(HELD_BYTES_MAX);
  const poller = life.own(new Poller({ ...parts, ...schedule, feeds, publisher, archive, held }), (started) =>
    started[Symbol.asyncDispose](),
  );
  const ringStatus = await startFollowing({ ...parts, ...schedule, finisher });
  parts.ended.listen((_, feed) => feed && ringStatus(feed.accountRegNo, feed.family));
  const turnedAway = tellTurnedAway({ ...parts, ...schedule, finisher });
  life.own(queue, (opened) => opened.close());
  return { poller, ringStatus, turnedAway, submit, wakeSubmitting: () => submitting?.wake() };
}

/** Opens the ways in, and starts submitting. */
async function openWays(
  options: GatewayOptions,
  base: Base,
  { inbox, ensureHomes }: Custody,
  transfers: Transfers,
  life: Lifecycle,
): Promise<Gateway> {
  const { data, settings, sftp: sftpSettings, clock } = options;
  const { parts, access, throttle, rules } = base;
  const { accounts } = parts;
  const { poller, ringStatus, turnedAway } = transfers;
  let cut: AbortSignal | undefined;
  life.own(startPickup({ ...parts, homes: () => accounts.homes(), accounts: () => accounts.all(), rules }), (started) =>
    started[Symbol.dispose](),
  );
  life.own(startTidying({ ...parts, homes: () => accounts.inboxes(), settings }), (started) => started[Symbol.dispose]());
  const { listeners, fileMax } = sftpSettings;
  const watcher = life.own(new FolderWatcher({ ...parts, intake: inbox, settings: { ...settings, fileMax } }), (started) =>
    started.close(),
  );
  const rejects = life.own(new RejectBook(parts), (opened) => opened[Symbol.asyncDispose]());
  const measure = (home: string, isOpen: (upload: string) => boolean) => measureHome(data, home, isOpen);
  const sftp = life.own(
    await startSftpServer({
      ...parts,
      listeners,
      hostKeys: await loadHostKeys(
        join(data, 'keys'),
        listeners.map(({ profile }) => profile),
      ),
      logins: accounts.logins,
      intake: new HomeQuotas({ intake: inbox, logins: accounts.logins, measure, clock }),
      homeFolder: (home) => homeFolder(data, home),
      downloadTakes: (home) => rules(home).outbox === 'downloaded',
      settings: sftpSettings,
      throttle,
      rejected: ({ offer, ...reject }) => rejects.add({ ...reject, atMs: clock.now(), offer: offer && JSON.stringify(offer) }),
    }),
    (started) => started.close(cut),
  );
  /** Of what a remote service posts, only that something happened is believed. */
  const ring = (accountRegNo: string, family: FamilyName): void => {
    poller.hint(accountRegNo, family);
    ringStatus(accountRegNo, family);
  };
  const hints = life.own(await startHints({ ...parts, settings: options.hints, ring, throttle }), (started) => started.close());

  function serve(): void {
    ensureHomes();
    watcher.follow(watchedFolders(data, accounts));
    poller.watch();
    turnedAway.watch();
    void hints.review();
  }
  serve();
  // Submitting starts last, so that a backlog does not delay opening the SFTP port.
  transfers.submit();
  accounts.onChange(() => {
    access.forgive();
    transfers.wakeSubmitting();
    serve();
    sftp.review();
  });
  return {
    intake: inbox,
    sftp,
    hintsUrl: hints.url,
    ring: poller.ring,
    ringStatus,
    ringTurnedAway: turnedAway.ring,
    close(signal) {
      cut = signal;
      return life.stop();
    },
  };
}
