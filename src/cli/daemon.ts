// The daemon: the parts that the role names, started in order, stopped in reverse.

import type { Worker } from 'node:worker_threads';
import { type AdminListener, type AdminParts, type AdminSettings, startAdminListener } from '#admin/listener.ts';
import { measureProcess, sayMetrics } from '#admin/metrics.ts';
import { type Probe, probesOf } from '#admin/probes.ts';
import { Readiness } from '#admin/readiness.ts';
import { type CoreThread, startCoreThread } from '#core/thread/thread.ts';
import { openBell } from '#engines/open.ts';
import { startGateway } from '#gateway/gateway.ts';
import type { Intake } from '#gateway/model/intake.ts';
import type { NodeSettings } from '#gateway/nodes/join.ts';
import type { Gateway } from '#gateway/options.ts';
import { UNRUNG } from '#installation/checks/queue.ts';
import { coreLedgerPath } from '#installation/data-folder.ts';
import { databaseServer } from '#installation/database-server.ts';
import { masterKeyPath } from '#installation/master-key.ts';
import { queueServer } from '#installation/queue-server.ts';
import { addPage } from '#page/page.ts';
import { Activity } from '#runtime/activity.ts';
import { followTrail } from '#runtime/audit/follow.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import type { TcpAddress } from '#runtime/config/kinds.ts';
import { listenersOf } from '#runtime/config/listeners.ts';
import { askForRoom } from '#runtime/files/disk.ts';
import { Lifecycle } from '#runtime/lifecycle.ts';
import type { Log, LogSettings } from '#runtime/log.ts';
import { Metrics } from '#runtime/metrics.ts';
import { letHeapsGrow } from '#runtime/threads/heap-growth.ts';
import { measureLoopDelay } from '#runtime/threads/loop-delay.ts';
import { letHelpersGiveWay } from '#runtime/threads/priority.ts';
import { startResting } from '#runtime/threads/rest.ts';
import { VERSION } from '#runtime/version.ts';
import { startControl } from './control/server.ts';
import { startDaemonAlarms } from './daemon-alarms.ts';
import { Doorbell, RingingCore } from './doorbell.ts';
import { Opened } from './opened.ts';

export interface Daemon {
  /** Port of the SFTP server's first listener, and all of them; null in role core. */
  readonly sftpPort: number | null;
  readonly sftpPorts: readonly number[] | null;
  /** Which implementation encrypts SSH: ssh2's add-on needs less CPU. */
  readonly sshCrypto: 'native' | 'javascript' | 'unknown' | null;
  /** The gateway's way in for programs that run the daemon in their own process; null in role core. */
  readonly intake: Intake | null;
  /** Base address of the core; null in role gateway. */
  readonly coreUrl: string | null;
  /** Base address of the admin listener; null when it is off. */
  readonly adminUrl: string | null;
  /** Resolves when each event loop has turned without which documents do not pass. SFTP and the gateway have that of this thread. */
  turn(): Promise<void>;
  /** Hands on the settings that may change, as the configuration has them now. */
  reload(): Promise<void>;
  /** Lets running work end until `cut` fires, then stops everything. */
  stop(cut: AbortSignal): Promise<void>;
}

interface DaemonOptions {
  /** Settings that may change meanwhile get their new values in it. */
  readonly config: Config;
  /** The descriptor of a socket that listens for the core already; null is none. */
  readonly passed: number | null;
  /** Of the core, where it loads already. */
  readonly coreThread?: Worker | undefined;
  readonly log: Log;
  /** For the log of another thread. */
  readonly logSettings: LogSettings;
  /** A part has ended by itself. */
  readonly failed: (error: unknown) => void;
  /** This node has lost its homes: ends the process at once. */
  readonly lost: (sentence: string) => void;
}

/** Throws what a part throws that cannot start; then everything that had started is stopped. */
export async function startDaemon({ config, passed, coreThread, log, logSettings, failed, lost }: DaemonOptions): Promise<Daemon> {
  const life = new Lifecycle();
  let gateway: Gateway | undefined;
  let admin: AdminListener | null = null;
  let cut = AbortSignal.abort();
  const metrics = config.admin.listen === null ? undefined : new Metrics();
  letHeapsGrow();
  letHelpersGiveWay();
  // It answers until all else has ended.
  life.own(null, () => admin?.close());
  try {
    if (metrics) measureProcess(metrics, VERSION, config.data);
    const activity = metrics ? startActivity(metrics, log, life) : null;
    life.use(startResting({ clock: systemClock, log }));
    const server = queueServer(config);
    const ringingCore = new RingingCore();
    const bell = server && config.role !== 'gateway' ? await openBell(server, systemClock, log, ringingCore.reached) : null;
    life.own(bell, (opened) => opened?.close());
    const { incoming, changed, turnedAway } = life.use(new Doorbell(bell, () => gateway, systemClock));
    const core =
      config.role === 'gateway'
        ? null
        : life.own(
            await startCoreThread(
              {
                ...coreSettings(config),
                passed,
                logSettings,
                isMeasured: metrics !== undefined,
                incoming,
                changed,
                turnedAway,
                ringsAgain: bell !== null,
                failed,
              },
              coreThread,
            ),
            (started) => started.close(),
          );
    ringingCore.started(core);
    if (config.role !== 'core') {
      gateway = life.own(
        await startGateway({ ...gatewayOptions(config, core, log), node: nodeOf(config, log, lost), metrics }),
        (started) => started.close(cut),
      );
    }
    const trail = life.use(followTrail({ data: config.data, clock: systemClock, log }));
    life.use(await startDaemonAlarms(config, { core, gateway: gateway ?? null, log }));
    const readiness = new Readiness(allProbes(config, core, gateway), systemClock);
    const opened = life.use(new Opened({ config, log, running: { gateway: gateway ?? null, core, activity, trail } }));
    const { listen } = config.admin;
    if (listen !== null && metrics) {
      const addTogether = gateway?.penalties?.('page');
      const parts = gateway && { gateway: gateway.administration, addTogether, readiness, run: opened.run.bind(opened), log };
      const page: AdminParts['page'] = parts ? (server, isTls) => addPage(server, parts, isTls) : null;
      const sources = [() => metrics.measured(), ...(core ? [() => core.measured()] : [])];
      admin = await startAdminListener({ settings: adminSettings(config, listen), readiness, metrics: sayMetrics(sources), page, log });
    }
    life.use(await startControl({ config, log, opened }));
    return {
      sftpPort: gateway?.sftp.port ?? null,
      sftpPorts: gateway?.sftp.ports ?? null,
      sshCrypto: gateway?.sftp.crypto ?? null,
      intake: gateway?.intake ?? null,
      coreUrl: core?.url ?? null,
      adminUrl: admin?.url ?? null,
      async turn() {
        await core?.turn();
      },
      async reload() {
        const { tls, behindProxy, requests, keepMessages, network } = config.core;
        const { outbound, webhooks, log: logging } = config;
        await core?.reload({ tls, behindProxy, requests, keepMessages, network, outbound, webhooks, logLevel: logging.level });
      },
      stop(signal) {
        cut = signal;
        readiness.stop();
        return life.stop();
      },
    };
  } catch (error) {
    await life.stop();
    throw error;
  }
}

function startActivity(metrics: Metrics, log: Log, life: Lifecycle): Activity {
  const { takeLatest } = life.use(measureLoopDelay(metrics, 'main'));
  const failed = (error: unknown): void => log.error({ event: 'admin.activity-unkept', err: error });
  const sources = { counted: (metric: string) => metrics.counted(metric), takeLatest };
  return life.use(new Activity(sources, systemClock, failed));
}

/** What must answer for the daemon to be ready. */
function allProbes(config: Config, core: CoreThread | null, gateway: Gateway | undefined): Probe[] {
  const corePort = core && URL.canParse(core.url) ? Number(new URL(core.url).port) : null;
  const listeners = probesOf(config, { sftp: gateway?.sftp.ports ?? null, core: corePort });
  const ledger = gateway && { place: "the gateway's ledger", ask: () => gateway.askLedger().then(() => true) };
  const disk = { place: `the disk of ${config.data}`, ask: () => (gateway ? gateway.askDisk() : askForRoom(config.data)).then(() => true) };
  return [...listeners, ...(ledger ? [ledger] : []), disk];
}

function adminSettings({ admin }: Config, listen: TcpAddress): AdminSettings {
  return {
    listen,
    get tls() {
      return admin.tls;
    },
  };
}

function coreSettings(config: Config) {
  return {
    ...config.core,
    environment: config.environment,
    outbound: config.outbound,
    webhooks: config.webhooks,
    databasePath: coreLedgerPath(config.data),
    databaseServer: databaseServer(config),
    node: config.node,
    countingServer: config.node === null ? null : queueServer(config),
    sealPath: masterKeyPath(config),
  };
}

function gatewayOptions(config: Config, embedded: CoreThread | null, log: Log): Parameters<typeof startGateway>[0] {
  const { data, environment, sftp, gateway: settings, hints } = config;
  return {
    data,
    databaseServer: databaseServer(config),
    sealPath: masterKeyPath(config),
    environment,
    service: embedded ? { portHttp: embedded.portHttp, inspect: embedded.readHead } : remoteService(config),
    hinted: embedded !== null,
    ...(!embedded && { hints, queueServer: queueServer(config) }),
    listeners: listenersOf(sftp),
    sftp,
    settings,
    clock: systemClock,
    random: systemRandom,
    log,
  };
}

function nodeOf({ node, cluster: { lease, calm }, role, queue }: Config, log: Log, lost: DaemonOptions['lost']): NodeSettings | null {
  if (node === null) return null;
  if (role === 'gateway' && queue.url === null) log.warn({ event: 'node.not-rung', sentence: `${UNRUNG.sentence} ${UNRUNG.remedy}` });
  return { name: node, leaseMs: lease, calmMs: calm, lost };
}

function remoteService({ service: { url } }: Config): { readonly url: string } {
  if (url === null) throw new RangeError('the configuration lets no gateway be without a service');
  return { url };
}
