// The front: the ways in. It accepts files for all homes, whoever does the work on them.
import { join } from 'node:path';
import { openWindows, type QueueServer } from '#engines/open.ts';
import { LookupView } from '#gateway/answers/lookup.ts';
import { StatusView } from '#gateway/answers/status.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { Gathered, type GatheredKind } from '#gateway/ledger/gathered.ts';
import type { Reading } from '#gateway/reader/reading.ts';
import { FAILED_UPLOADS, FETCHES, LAST_LOGINS, REJECTS } from '#gateway/sftp/books.ts';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { type SftpServer, startSftpServer } from '#gateway/sftp/server.ts';
import { AnswerFolders } from '#gateway/spool/answer-folders.ts';
import { measureHome } from '#gateway/spool/home-usage.ts';
import type { Custody } from '#gateway/spool/open-custody.ts';
import { OrderAnswers } from '#gateway/spool/order-answers.ts';
import { HomeQuotas } from '#gateway/spool/quotas.ts';
import { StrictVerdicts } from '#gateway/spool/strict-verdicts.ts';
import { watchedInboxes } from '#gateway/watch/folder.ts';
import { FolderWatcher } from '#gateway/watch/watch.ts';
import { WINDOW_SECONDS as PENALTIES_SECONDS } from '#runtime/auth/ban-list.ts';
import type { Lifecycle } from '#runtime/lifecycle.ts';
import type { Base } from './base.ts';
import type { GatewayOptions, Penalties } from './options.ts';

interface Front {
  readonly sftp: SftpServer;
  readonly penalties: Penalties | null;
  /** Watches the inboxes that are there now. */
  watch(): void;
}

/** `cut` is asked, when it closes, for the signal at which transfers end. */
export async function openFront(
  { settings, listeners, sftp, data, clock, node, queueServer }: GatewayOptions,
  { parts, administration, throttle, rules }: Base,
  { inbox, finisher }: Custody,
  { inspect }: Reading,
  life: Lifecycle,
  cut: () => AbortSignal | undefined,
): Promise<Front> {
  const { accounts } = parts;
  const watcher = life.own(new FolderWatcher({ ...parts, intake: inbox, settings, limits: sftp }), (started) => started.close());
  const answers = new OrderAnswers({ ...parts, inbox, finisher });
  life.use(new AnswerFolders({ ...parts, settings, answers, limits: sftp }));
  const gather = <Fact>(kind: GatheredKind<Fact>): Gathered<Fact> => life.use(new Gathered(parts, kind));
  const [rejects, fetches, failedUploads] = [gather(REJECTS), gather(FETCHES), gather(FAILED_UPLOADS)];
  const lastLogins = gather(LAST_LOGINS);
  const measure = (home: string, isOpen: (upload: string) => boolean) => measureHome(data, home, isOpen);
  const strict = new StrictVerdicts({
    ...parts,
    settings: sftp,
    intake: inbox,
    finisher,
    logins: accounts.logins,
    inspect,
  });
  const penalties = node && queueServer ? await openPenalties(queueServer, life) : null;
  const server = life.own(
    await startSftpServer({
      ...parts,
      addTogether: penalties?.('sftp'),
      listeners,
      hostKeys: await loadHostKeys(
        join(data, 'keys'),
        listeners.map(({ profile }) => profile),
      ),
      logins: accounts.logins,
      intake: new HomeQuotas({ intake: strict, logins: accounts.logins, measure, clock }),
      homeFolder: (home) => homeFolder(data, home),
      views: { lookup: new LookupView(parts), status: new StatusView(administration) },
      isReceivedOrder: (home, bytes) => answers.isReceived(home, bytes),
      downloadTakes: (home) => rules(home).outbox === 'downloaded',
      settings: sftp,
      throttle,
      rejected({ offer, ...reject }) {
        parts.measures?.loginRefused(reject.reason);
        rejects.add({ ...reject, atMs: clock.now(), offer: offer && JSON.stringify(offer) });
      },
      loggedIn: (login, address) => lastLogins.add({ login, address, atMs: clock.now() }),
      fetched: (fetch) => fetches.add(fetch),
      uploadFailed: (failed) => failedUploads.add(failed),
    }),
    (started) => started.close(cut()),
  );
  return { sftp: server, penalties, watch: () => watcher.follow(watchedInboxes(data, accounts)) };
}

/** While the server is away each node counts for itself. */
async function openPenalties(server: QueueServer, life: Lifecycle): Promise<Penalties> {
  const windows = life.own(await openWindows(server), (opened) => opened.close());
  return (way) => {
    const window = windows.open(`${way}-penalties`, PENALTIES_SECONDS);
    return async (source, penaltyMs) => (await window.spend(source, penaltyMs)).points;
  };
}
