// The gateway, put together: ways in (SFTP, folders), intake and spool, submit, receipts, poll and outbox.
import { join } from 'node:path';
import type { Arrival } from '#domain/document.ts';
import type { FamilyName } from '#domain/family.ts';
import { itemIds, type Random } from '#domain/id.ts';
import type { ReceiptForm } from '#domain/receipt.ts';
import { openQueue } from '#engines/open.ts';
import { openAccounts } from '#gateway/accounts/accounts.ts';
import { inboxComponents } from '#gateway/disk/inbox-folder.ts';
import { homeFolder, sealPath } from '#gateway/disk/paths.ts';
import { ringStatus, startFollowing } from '#gateway/follow/statuses.ts';
import { tellTurnedAway } from '#gateway/follow/turned-away.ts';
import { readHint } from '#gateway/ledger/hints.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { readSealed } from '#gateway/ledger/sealed.ts';
import type { Intake } from '#gateway/model/intake.ts';
import { ItemEnded } from '#gateway/model/item-ended.ts';
import { listenForCommands } from '#gateway/operate/command-notifications.ts';
import { openArchive } from '#gateway/publish/archive.ts';
import { openFinisher } from '#gateway/publish/finish.ts';
import { openHousing } from '#gateway/publish/make-homes.ts';
import { type OutboxSettings, outboxRules } from '#gateway/publish/outbox.ts';
import { startPickup } from '#gateway/publish/pick-up.ts';
import { openPublisher } from '#gateway/publish/publish.ts';
import { startTidying, type TidySettings } from '#gateway/publish/tidy.ts';
import { type Look, lookAt, lookBy } from '#gateway/reader/inspect.ts';
import { openStudy } from '#gateway/reader/read-whole.ts';
import { type FeedClient, openFeedClient } from '#gateway/receive/feed-client.ts';
import { HELD_BYTES_MAX } from '#gateway/receive/ingest.ts';
import { startPolling } from '#gateway/receive/poll.ts';
import { openAuthority } from '#gateway/service/authority.ts';
import { openBudget } from '#gateway/service/budget.ts';
import { openCoreClient } from '#gateway/service/core-client.ts';
import { type ListenSettings, startListening } from '#gateway/service/hint-listener.ts';
import { startRegistering } from '#gateway/service/hint-registration.ts';
import { openTokenCache } from '#gateway/service/token-cache.ts';
import { openLine, type Service } from '#gateway/service/transport.ts';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import type { ListenerSettings } from '#gateway/sftp/listener.ts';
import { RejectBook } from '#gateway/sftp/reject-book.ts';
import { type SftpServer, type SftpSettings, startSftpServer } from '#gateway/sftp/server.ts';
import { startEpochs } from '#gateway/spool/epoch.ts';
import { measureHome } from '#gateway/spool/home-usage.ts';
import { Inbox, type InboxSettings } from '#gateway/spool/inbox.ts';
import { HomeQuotas } from '#gateway/spool/quotas.ts';
import { recoverSpool } from '#gateway/spool/recover.ts';
import { tellOfLongWaits } from '#gateway/submit/long-waits.ts';
import { startSubmitting } from '#gateway/submit/submit.ts';
import { FolderWatcher, type WatchSettings } from '#gateway/watch/watch.ts';
import type { Clock } from '#runtime/clock.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import { lockStart } from '#runtime/files/lock.ts';
import { Lifecycle } from '#runtime/lifecycle.ts';
import type { Log } from '#runtime/log.ts';
import { LogThrottle } from '#runtime/log-throttle.ts';
import { openSeal, refuseForeign } from '#runtime/seal.ts';

/** One process serves a data folder, so its leases carry one name, and a restart may void them. */
const OWNER = 'gateway';

export interface GatewaySettings extends Omit<WatchSettings, 'fileMax'>, TidySettings, OutboxSettings {
  readonly submits: number;
  readonly receipts: ReceiptForm;
  readonly validate: 'local' | 'core';
  readonly reconcile: number;
  readonly poll: number;
  readonly pollSilent: number;
  readonly requestTimeout: number;
}

export interface GatewayOptions {
  readonly data: string;
  /** The key file that secrets are sealed with, when it is not the one below `data`. */
  readonly sealPath?: string;
  readonly environment: string;
  readonly service: Service;
  /** The service is embedded and rings for each new document. */
  readonly hinted: boolean;
  /** The same service reads short documents, in a thread of its own, and but once. */
  readonly look?: Look;
  /** Where a remote service may post hints, and the address by which it reaches us there; without them nobody listens. */
  readonly hints?: ListenSettings & { readonly url: string | null };
  readonly sftp: SftpSettings & InboxSettings & { readonly listeners: readonly ListenerSettings[]; readonly fileMax: number };
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface Gateway {
  readonly intake: Intake;
  readonly sftp: SftpServer;
  /** Base address of the listener for hints; null when nobody listens. */
  readonly hintsUrl: string | null;
  /** A hint: the service has a new document for the account, or this one. */
  ring(accountRegNo: string, family: FamilyName, arrival?: Arrival): void;
  /** A hint: the status of a document of the account has changed. */
  ringStatus(accountRegNo: string, family: FamilyName): void;
  /** A hint: the service has turned a document for the account away. */
  ringTurnedAway(accountRegNo: string): void;
  /** Lets transfers end until `cut` fires, and submits under way, then stops. What has not ended is safe, and goes on at the next start. */
  close(cut?: AbortSignal): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { data, settings, clock, random, log } = options;
  const life = new Lifecycle();
  let cut: AbortSignal | undefined;
  let accountsChanged = (): void => {};
  try {
    const ledger = life.own(await openGatewayLedger(data), (opened) => opened.close());
    const seal = await openSeal(options.sealPath ?? sealPath(data), random);
    refuseForeign(seal, await readSealed(ledger.read));
    const accounts = life.own(await openAccounts(ledger, seal, clock, log, () => accountsChanged()), (opened) => opened[Symbol.dispose]());
    const folders = new FolderSync();
    const queue = openQueue(clock, log);
    const budget = openBudget(clock);
    const requestTimeoutMs = settings.requestTimeout;
    const line = life.own(openLine(options.service, requestTimeoutMs), (opened) => opened.close());
    const tokens = life.own(openTokenCache({ line, budget, clock, log }), (opened) => opened[Symbol.dispose]());
    const authority = openAuthority(accounts, tokens);
    const client = openCoreClient(line, budget, authority);

    const newId = itemIds(clock.now, random);
    const throttle = life.own(new LogThrottle(log, clock), (opened) => opened[Symbol.dispose]());
    const lines = throttle.lines(log, ({ login }) => ({ session: null, by: { login: String(login) } }));
    const parts = { newId, data, ledger, folders, queue, clock, random, log, lines };
    const ended = new ItemEnded();
    const publisher = life.own(openPublisher(parts), (opened) => opened.close());
    const receiptForm = (accountRegNo: string): ReceiptForm => accounts.find(accountRegNo)?.receipts ?? settings.receipts;
    const finisher = openFinisher({
      publisher,
      log,
      clock,
      receiptForm,
      dropper: (login) => (login === null ? undefined : accounts.logins.find(login)),
      readers: accounts.readersOf,
      ended,
    });
    const inbox = life.own(new Inbox({ ...parts, finisher, ended }, options.sftp), (opened) => opened[Symbol.dispose]());
    ended.listen((_, feed) => feed && ringStatus(parts, feed));

    const ensureHomes = openHousing({ data, homes: accounts.inboxes, log });
    ensureHomes();
    {
      using _starts = lockStart(data);
      const { restored } = await recoverSpool({ ...parts, owner: OWNER, finisher });
      if (restored) await accounts.refresh();
      await publisher.recover();
    }
    await inbox.recover();
    life.own(startEpochs(parts), (started) => started[Symbol.asyncDispose]());
    life.own(listenForCommands({ ...parts, ended }), (started) => started[Symbol.dispose]());
    life.own(tellOfLongWaits({ ...parts, finisher }), (started) => started[Symbol.dispose]());

    const { environment } = options;
    const { submits } = settings;
    const { fileMax } = options.sftp;
    const serves = (accountRegNo: string): boolean => accounts.find(accountRegNo) !== undefined;
    const submitParts = {
      ...parts,
      standing: accounts.standing,
      ownerOf: accounts.ownerOf,
      environment,
      owner: OWNER,
      client,
      budget,
      finisher,
      submits,
      requestTimeoutMs,
      fileMax,
      look: options.look ? lookBy(options.look) : lookAt,
      study: life.own(openStudy(log), (opened) => opened.close()),
      judgesHere: (accountRegNo: string) => (accounts.find(accountRegNo)?.validate ?? settings.validate) === 'local',
      keyOf: (accountRegNo: string) => accounts.find(accountRegNo)?.access.key,
      renewKey: authority.renew,
    };
    let submitting: ReturnType<typeof startSubmitting> | undefined;
    life.own(submitParts, () => submitting?.close());
    const { hinted } = options;
    const feedClient = openFeedClient(client, budget);
    const feeds: FeedClient = {
      ...feedClient,
      async page(...asked) {
        const page = await feedClient.page(...asked);
        submitting?.heard();
        return page;
      },
    };
    const pace = { hinted, pollMs: settings.poll, pollSilentMs: settings.pollSilent, reconcileMs: settings.reconcile };
    const homeOf = (accountRegNo: string): string => accounts.find(accountRegNo)?.home ?? accountRegNo;
    const rules = outboxRules(accounts, settings);
    const archive = openArchive({ data, clock, keepMs: (accountRegNo) => rules(accountRegNo).archive });
    const held = new Semaphore(HELD_BYTES_MAX);
    const poller = life.own(startPolling({ ...parts, ...pace, feeds, publisher, accounts, homeOf, archive, held }), (started) =>
      started[Symbol.asyncDispose](),
    );
    await startFollowing({ ...parts, ...pace, client, budget, finisher, serves });
    const turnedAway = tellTurnedAway({ ...parts, ...pace, client, budget, finisher, accounts });
    life.own(queue, (opened) => opened.close());
    const hintStatus = (accountRegNo: string, family: FamilyName): void => ringStatus(parts, { accountRegNo, family });
    /** Of what a remote service posts, nothing is believed but that something happened. */
    const hint = (accountRegNo: string, family: FamilyName): void => {
      poller.hint(accountRegNo, family);
      hintStatus(accountRegNo, family);
    };
    const registrar = life.own(startRegistering({ ...parts, url: options.hints?.url ?? null, accounts, client, budget }), (started) =>
      started.close(),
    );

    life.own(startPickup({ ...parts, homes: accounts.homes, accounts: accounts.all, rules }), (started) => started[Symbol.dispose]());
    life.own(startTidying({ ...parts, homes: accounts.inboxes, settings }), (started) => started[Symbol.dispose]());
    const watcher = life.own(new FolderWatcher({ intake: inbox, clock, log, settings: { ...settings, fileMax } }), (started) =>
      started.close(),
    );
    const { listeners } = options.sftp;
    const profiles = listeners.map(({ profile }) => profile);
    const hostKeys = await loadHostKeys(join(data, 'keys'), profiles);
    const rejects = life.own(new RejectBook({ ledger, clock, log }), (opened) => opened[Symbol.asyncDispose]());
    const sftp = life.own(
      await startSftpServer({
        listeners,
        hostKeys,
        logins: accounts.logins,
        intake: new HomeQuotas({
          intake: inbox,
          logins: accounts.logins,
          measure: (home, isOpen) => measureHome(data, home, isOpen),
          clock,
        }),
        homeFolder: (home) => homeFolder(data, home),
        downloadTakes: (home) => rules(home).outbox === 'downloaded',
        settings: options.sftp,
        clock,
        random,
        log,
        throttle,
        rejected: ({ offer, ...reject }) => rejects.add({ ...reject, atMs: clock.now(), offer: offer && JSON.stringify(offer) }),
      }),
      (started) => started.close(cut),
    );

    const { hints } = options;
    const listener = hints?.listen
      ? life.own(
          await startListening({ settings: { ...hints, listen: hints.listen }, secretOf, ring: hint, clock, log, throttle }),
          (started) => started.close(),
        )
      : null;
    async function secretOf(accountRegNo: string): Promise<string | undefined> {
      // Read for accounts that are not here, too: the time of a refusal shall not tell which are.
      const known = await readHint(ledger.read, accountRegNo);
      return accounts.find(accountRegNo) && known?.secretSha256;
    }

    function serve(): void {
      ensureHomes();
      const places = accounts.inboxes().flatMap((home) => [
        { home, folder: 'inbox' as const },
        { home, folder: 'overwrite' as const },
      ]);
      watcher.follow(
        places.map((place) => ({
          ...place,
          root: homeFolder(data, place.home),
          components: inboxComponents(place),
          doneFile: accounts.doneFile(place.home),
        })),
      );
      poller.watch();
      turnedAway.watch();
      void registrar.review();
    }
    serve();
    // Last, though it stops where it stands above: whatever waits for the service since the last start must not keep the ways in closed.
    submitting = startSubmitting(submitParts);
    accountsChanged = () => {
      tokens.forgive();
      submitting?.wake();
      serve();
      sftp.review();
    };
    return {
      intake: inbox,
      sftp,
      hintsUrl: listener?.url ?? null,
      ring: poller.ring,
      ringStatus: hintStatus,
      ringTurnedAway: turnedAway.ring,
      close(signal) {
        cut = signal;
        return life.stop();
      },
    };
  } catch (error) {
    await life.stop();
    throw error;
  }
}
