// The SFTP server with the real intake behind it, in a temporary data folder, for tests; `using` stops and removes it.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itemIds } from '#domain/id.ts';
import { openQueue } from '#engines/open.ts';
import { beginIncarnation } from '#gateway/disk/incarnation.ts';
import { ensureHome, homeFolder, receivingFolder, spoolFolder } from '#gateway/disk/paths.ts';
import { parseSpoolName } from '#gateway/disk/spool-files.ts';
import type { FailedUpload } from '#gateway/ledger/failed-uploads.ts';
import type { Fetch } from '#gateway/ledger/fetches.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Login } from '#gateway/model/account.ts';
import { HomesInHand } from '#gateway/model/homes.ts';
import type { Intake } from '#gateway/model/intake.ts';
import { ItemEnded } from '#gateway/model/item-ended.ts';
import type { Views } from '#gateway/model/view.ts';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import type { ListenerSettings } from '#gateway/sftp/listener.ts';
import type { Reject } from '#gateway/sftp/rejects.ts';
import { type SftpServer, type SftpSettings, startSftpServer } from '#gateway/sftp/server.ts';
import { Inbox } from '#gateway/spool/inbox.ts';
import { type Clock, systemClock, systemRandom } from '#runtime/clock.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import { openLog } from '#runtime/log.ts';
import { type LineLimits, LogThrottle } from '#runtime/log-throttle.ts';
import { cheapHash } from './cheap-hash.ts';
import { LISTENER, SFTP_SETTINGS } from './sftp-settings.ts';
import { EMPTY_VIEWS } from './views.ts';

export const PASSWORD = 'correct horse';
export const PASSWORD_HASH = cheapHash(PASSWORD);
export const ACCOUNT = 'acme-ab';

export interface TestServer extends AsyncDisposable {
  readonly server: SftpServer;
  readonly port: number;
  readonly data: string;
  /** The log's lines so far, parsed. */
  readonly facts: Record<string, unknown>[];
  /** Connections that ended without a login. */
  readonly rejects: Reject[];
  /** What logins did with published files, and uploads that came to nothing. */
  readonly fetches: Omit<Fetch, 'times'>[];
  readonly failedUploads: Omit<FailedUpload, 'times'>[];
  /** The known_hosts file that names this server's key. */
  readonly knownHosts: string;
  /** All logins are removed. */
  forgetLogins(): void;
  /** The login is another one now. */
  change(login: string, changes: Partial<Login>): void;
  home(folder: string): string;
  /** Puts a file into a folder of the home, as the gateway would. */
  place(folder: string, name: string, content: string | Buffer): void;
  /** The committed files: name and content. */
  committed(): { name: string; content: Buffer; mode: string }[];
  /** Under which its uploads lie in spool/receiving. */
  readonly incarnation: string;
  /** Uploads that are not committed. */
  receiving(): string[];
}

export interface TestOptions {
  readonly settings?: Partial<SftpSettings>;
  readonly listener?: Partial<ListenerSettings>;
  /** Further listeners; their ports are in `server.ports`. */
  readonly more?: readonly ListenerSettings[];
  readonly logins?: readonly Partial<Login>[];
  readonly clock?: Clock;
  /** In place of the installed version of ssh2. */
  readonly ssh2Version?: string;
  /** How many lines of the log a client may cause in a minute. */
  readonly lines?: LineLimits;
  /** Whether a complete download takes a document out of the outbox. */
  readonly downloadTakes?: boolean;
  /** What folders answer that are views; nothing without it. */
  readonly views?: Partial<Views>;
  /** Calls of the intake that are answered otherwise, to let them fail or wait. */
  readonly wrap?: (intake: Intake) => Partial<Intake>;
}

/** An intake that answers some calls otherwise. */
export function answering(intake: Intake, otherwise: Partial<Intake>): Intake {
  return new Proxy(intake, {
    get(target, name) {
      const from = Reflect.has(otherwise, name) ? otherwise : target;
      const call: unknown = Reflect.get(from, name);
      return typeof call === 'function' ? call.bind(from) : call;
    },
  });
}

export async function startTestServer(options: TestOptions = {}): Promise<TestServer> {
  const { settings = {}, logins = [{}], wrap = () => ({}), more = [], clock = systemClock } = options;
  const listeners = [{ ...LISTENER, ...options.listener }, ...more];
  const data = mkdtempSync(join(tmpdir(), 'dropgate-sftp-'));
  const facts: Record<string, unknown>[] = [];
  const rejects: Reject[] = [];
  const fetches: TestServer['fetches'] = [];
  const failedUploads: TestServer['failedUploads'] = [];
  const log = openLog('debug', { write: (line) => void facts.push(JSON.parse(line)) });
  const throttle = new LogThrottle(log, clock, options.lines);
  const random = systemRandom;
  const known = logins.map(
    (login): Login => ({
      login: 'erp',
      passwordHash: PASSWORD_HASH,
      publicKeys: [],
      homes: [{ home: ACCOUNT, folder: '' }],
      rules: {},
      ...login,
    }),
  );
  for (const { home } of known.flatMap(({ homes }) => homes)) ensureHome(data, home);
  const ledger = await openGatewayLedger(data);
  const incarnation = await beginIncarnation(data, random);
  const queue = openQueue(clock, log);
  const inbox = new Inbox(
    {
      data,
      incarnation: incarnation.id,
      inHand: new HomesInHand(),
      ledger,
      folders: new FolderSync(),
      queue,
      clock,
      newId: itemIds(clock.now, random),
      log,
      lines: log,
      finisher: { notify: async () => undefined },
      ended: new ItemEnded(),
      tests: { run: async () => undefined },
    },
    { linger: 60_000, partialsKept: 86_400_000, itemsPerAccountMax: 1_000, unfinishedMax: 2 ** 30, fileMax: 20 * 2 ** 20 },
  );
  await inbox.recover();
  const hostKeys = await loadHostKeys(
    join(data, 'keys'),
    listeners.map(({ profile }) => profile),
  );
  const server = await startSftpServer({
    listeners,
    hostKeys,
    logins: { find: (name) => known.find(({ login }) => login === name) },
    intake: answering(inbox, wrap(inbox)),
    inHand: new HomesInHand(),
    homeFolder: (accountRegNo) => homeFolder(data, accountRegNo),
    views: { ...EMPTY_VIEWS, ...options.views },
    downloadTakes: () => options.downloadTakes ?? false,
    isReceivedOrder: async () => false,
    settings: { ...SFTP_SETTINGS, ...settings },
    clock,
    random,
    log,
    throttle,
    rejected: (reject) => void rejects.push(reject),
    loggedIn: () => undefined,
    fetched: (fetch) => void fetches.push(fetch),
    uploadFailed: (failed) => void failedUploads.push(failed),
    ...(options.ssh2Version !== undefined && { ssh2Version: options.ssh2Version }),
  });
  const knownHosts = join(data, 'known_hosts');
  writeFileSync(knownHosts, hostKeys.map(({ publicLine }) => `[127.0.0.1]:${server.port} ${publicLine}\n`).join(''));
  return {
    server,
    port: server.port,
    data,
    facts,
    rejects,
    fetches,
    failedUploads,
    knownHosts,
    forgetLogins: () => void known.splice(0),
    change(name, changes) {
      known.splice(0, known.length, ...known.map((login) => (login.login === name ? { ...login, ...changes } : login)));
    },
    home: (folder) => join(homeFolder(data, ACCOUNT), folder),
    place: (folder, name, content) => writeFileSync(join(homeFolder(data, ACCOUNT), folder, name), content),
    committed: () =>
      readdirSync(spoolFolder(data, ACCOUNT)).map((file) => {
        const { name = '', mode = '' } = parseSpoolName(file) ?? {};
        return { name, mode, content: readFileSync(join(spoolFolder(data, ACCOUNT), file)) };
      }),
    incarnation: incarnation.id,
    receiving: () =>
      readdirSync(receivingFolder(data, incarnation.id), { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [entry.name] : [],
      ),
    async [Symbol.asyncDispose]() {
      await server.close();
      throttle[Symbol.dispose]();
      inbox[Symbol.dispose]();
      await queue.close();
      await ledger.close();
      incarnation[Symbol.dispose]();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
