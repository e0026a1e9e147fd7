// `dropgate serve`: the daemon from the command line: lock, start, ready, a signal, drain, exit.
import { resolve } from 'node:path';
import { openCoreThread } from '#core/thread/thread.ts';
import { AppError } from '#domain/error.ts';
import { prepareData } from '#installation/data-folder.ts';
import { ensureKey } from '#installation/master-key.ts';
import { refuseForeignFiles } from '#installation/rights.ts';
import { systemClock } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import { mayColour, watchdogMs } from '#runtime/config/environment.ts';
import { type LoadedConfig, loadConfig, passedByStarter } from '#runtime/config/file.ts';
import { LiveConfig } from '#runtime/config/live.ts';
import { lockFolder, lockNode } from '#runtime/files/lock.ts';
import { inWords } from '#runtime/files/rights.ts';
import { type Log, openStandardLog } from '#runtime/log.ts';
import { logForm } from '#runtime/log-form.ts';
import type { AddCommand } from './commands.ts';
import type { Daemon } from './daemon.ts';
import { checkDemo, type DemoSecrets, makeDemo, writeKnownHosts } from './demo-accounts.ts';
import { demoGuide, demoSecrets } from './demo-guide.ts';
import { LOST_HOMES } from './exit-status.ts';
import { notifySystemd } from './notify.ts';
import { type ConfigOptions, oneOf } from './options.ts';
import { onHangup, type ReloadParts, reload } from './reload.ts';
import type { Terminal } from './terminal.ts';
import { startWatchdog } from './watchdog.ts';

interface ServeOptions extends ConfigOptions {
  readonly role?: string;
  readonly demo?: boolean;
}

/** Of the time for draining, the part that running transfers may take; the rest is for stopping. */
const DRAIN_SHARE = 0.7;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export const addServe: AddCommand = (commands) => {
  commands
    .configured('serve')
    .addOption(oneOf('--role <role>', 'what this process runs; wins over the configuration', ['all', 'gateway', 'core']))
    .option('--demo', 'on loopback only: make a seller, a buyer and an operator to try it with, and show how')
    .action((options: ServeOptions) => serve(options, commands.terminal));
};

async function serve(options: ServeOptions, terminal: Terminal): Promise<void> {
  const running = Promise.withResolvers<ReloadParts>();
  using _hangups = onHangup(async () => reload(await running.promise));
  const read = (): LoadedConfig => loadConfig(options.config, options.role);
  const { config: first, file } = read();
  const live = new LiveConfig(first);
  const { config } = live;
  // It loads its modules beside this thread.
  const coreThread = config.role === 'gateway' ? undefined : openCoreThread();
  const { startDaemon } = await import('./daemon.ts');
  if (options.demo) checkDemo(config);
  const passed = passedByStarter(config.role);
  prepareData(config.data);
  refuseForeignFiles(config);
  const logSettings = { level: config.log.level, form: logForm(config.log.format, mayColour()) };
  const log = openStandardLog(logSettings);
  using _lock = await lockDaemon(config, log);
  await ensureKey(config);
  // Which file was taken is the first question when a setting seems to do nothing.
  log.info({ event: 'daemon.starting', config: file === null ? null : resolve(file), data: config.data });
  const ended = Promise.withResolvers<{ readonly failure: unknown } | null>();
  using _signals = onSignals((signal) => {
    log.info({ event: 'daemon.stopping', signal });
    ended.resolve(null);
  });
  const failed = (failure: unknown): void => ended.resolve({ failure });
  const lost = (sentence: string): void => endAtOnce(log, sentence);

  const made = options.demo ? await makeDemo(config) : null;
  const daemon = await startDaemon({ config, passed, coreThread, log, logSettings, failed, lost }).catch((error: unknown) => {
    // The next start cannot show them again.
    if (made) terminal.print(`A seller and a buyer were made all the same. ${demoSecrets(made)}\n`);
    throw inWords(error);
  });
  logReady(log, config, file, daemon);
  await notifySystemd(['READY=1'], log);
  const withinMs = watchdogMs();
  const tell = (): Promise<void> => notifySystemd(['WATCHDOG=1'], log);
  using _watchdog = withinMs === null ? null : startWatchdog({ withinMs, turn: daemon.turn, tell, clock: systemClock, log });
  running.resolve({ live, read: () => read().config, handOn: daemon.reload, log });
  if (options.demo) await showDemo(config, file, daemon, made, terminal);

  const end = await ended.promise;
  if (end) log.error({ event: 'daemon.part-failed', err: end.failure });
  await drain(daemon, config.shutdown.drain, log);
  log.info({ event: 'daemon.stopped' });
  log.flush();
  if (end)
    throw new AppError('internal', 'A part of the daemon failed, so all of it was stopped; the log says why.', { cause: end.failure });
}

async function lockDaemon({ data, node }: Config, log: Log): Promise<Disposable> {
  if (node === null) return lockFolder(data);
  const sentence = `it waits for the lock of node ${node} in ${data}: another dropgate has it, or a machine that has crashed had it`;
  return lockNode(data, node, () => log.warn({ event: 'lock.waits', sentence }));
}

async function showDemo(
  { data }: Config,
  file: string | null,
  { sftpPort, coreUrl, adminUrl }: Daemon,
  made: DemoSecrets | null,
  terminal: Terminal,
): Promise<void> {
  if (sftpPort === null || coreUrl === null) return;
  const knownHosts = await writeKnownHosts(data, sftpPort);
  terminal.print(demoGuide({ data, sftpPort, coreUrl, adminUrl, knownHosts, file }, made));
}

function logReady(
  log: Log,
  { role, data }: Config,
  file: string | null,
  { sftpPort, sftpPorts, sshCrypto, coreUrl, adminUrl }: Daemon,
): void {
  log.info({
    event: 'daemon.ready',
    role,
    config: file,
    data,
    sftpPort,
    sftpPorts,
    sshCrypto,
    coreUrl,
    adminUrl,
    node: process.version,
    pid: process.pid,
  });
}

/** Another node may have the homes: nothing more is done, not even what stopping does. */
function endAtOnce(log: Log, sentence: string): never {
  log.error({ event: 'node.lost', sentence });
  process.exit(LOST_HOMES);
}

/** Calls back at the first signal; the second ends the process at once, which loses nothing either. Dispose to listen no more. */
function onSignals(first: (signal: string) => void): Disposable {
  let seen = false;
  const listeners = SIGNALS.map((signal) => {
    const listener = (_name: string, number: number): void => {
      if (seen) process.exit(128 + number);
      seen = true;
      first(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    [Symbol.dispose]() {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}

/** Stops within the time. Whatever keeps the process longer is cut: nothing that was acknowledged can be lost by that. */
async function drain(daemon: Daemon, withinMs: number, log: Log): Promise<void> {
  setTimeout(() => {
    log.warn({ event: 'daemon.cut', afterMs: withinMs });
    log.flush();
    process.exit();
  }, withinMs).unref();
  await daemon.stop(AbortSignal.timeout(withinMs * DRAIN_SHARE));
}
