// The core in a worker thread: an event loop of its own, so that XML, JSON and commits never stall the gateway.
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Core, CoreOptions, CoreReload } from '#core/core.ts';
import type { DatedBody } from '#core/examination/permit.ts';
import type { Listeners } from '#core/model/listeners.ts';
import type { Alarm } from '#domain/alarm.ts';
import { dayOf } from '#domain/day.ts';
import { AppError, type ErrorCode } from '#domain/error.ts';
import type { FamilyName } from '#domain/family.ts';
import type { JudgedHead } from '#rules/judged-head.ts';
import { systemClock } from '#runtime/clock.ts';
import type { LogSettings } from '#runtime/log.ts';
import type { Measured } from '#runtime/metrics.ts';
import { apart } from '#runtime/threads/messages.ts';
import { openPortHttp, type PortHttp } from '#runtime/threads/port-http.ts';
import { openAsker } from '#runtime/threads/tasks.ts';

/** What can be handed to another thread: plain data. Clock, randomness, log and examiner are the thread's own. */
type CoreThreadSettings = Omit<CoreOptions, 'clock' | 'random' | 'log' | 'metrics' | 'examiner' | keyof Listeners> & {
  /** Somebody watches over it. */
  readonly isMeasured?: boolean;
  readonly logSettings: LogSettings;
};

/** The same, and the ports over which it is asked: for requests, and for what documents are. */
export type WorkerSettings = CoreThreadSettings & { readonly asked: MessagePort; readonly reads: MessagePort };

/** Its listeners are called in this thread. */
export interface CoreThreadOptions extends CoreThreadSettings, Listeners {
  /** Called once when the thread ends without `close`. */
  readonly failed: (error: unknown) => void;
}

/** What the thread reports, beside answers. */
export type CoreReport =
  | { readonly kind: 'started'; readonly url: string }
  | { readonly kind: 'changed'; readonly accountRegNo: string; readonly family: FamilyName }
  | { readonly kind: 'turned-away'; readonly accountRegNo: string }
  | { readonly kind: 'incoming'; readonly accountRegNo: string; readonly family: FamilyName; readonly integrationId: string }
  /** It could not start. */
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string };

export interface CoreTasks {
  measure: { readonly asked: null; readonly found: Measured };
  readHead: { readonly asked: DatedBody; readonly found: JudgedHead };
  turn: { readonly asked: null; readonly found: null };
  reload: { readonly asked: CoreReload & { readonly logLevel: string }; readonly found: null };
  rings: { readonly asked: boolean; readonly found: null };
  alarms: { readonly asked: null; readonly found: readonly Alarm[] | null };
}

export interface CoreThread extends Omit<Core, 'answer' | 'reload' | 'rings'> {
  /** Requests to it without a connection, for this process. */
  readonly portHttp: PortHttp;
  /** As `Examiner.readHead`, by the rules of today; throws `internal`, too, when the thread has ended. */
  readHead(body: Uint8Array): Promise<JudgedHead>;
  /** Resolves when its event loop has turned. */
  turn(): Promise<void>;
  /** Resolves when it goes by these settings. */
  reload(settings: CoreTasks['reload']['asked']): Promise<void>;
  /** As `Core.rings`; resolves when it says so. */
  rings(isRinging: boolean): Promise<void>;
  /** Its metrics; none where it is not measured. */
  measured(): Promise<Measured>;
}

/** The thread without its core: it loads its modules while the process goes on with its start, and keeps no process alive. */
export function openCoreThread(): Worker {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { name: 'core' });
  worker.unref();
  return worker;
}

/** Starts the core in a thread; resolves when it listens. Throws what startCore throws. */
export async function startCoreThread(
  { incoming, changed, turnedAway, failed, ...settings }: CoreThreadOptions,
  worker = openCoreThread(),
): Promise<CoreThread> {
  const requests = new MessageChannel();
  const tasks = new MessageChannel();
  const [asked, reads] = [requests.port2, tasks.port2];
  const portHttp = openPortHttp(requests.port1);
  const asker = openAsker<CoreTasks>(tasks.port1);
  let state: 'starting' | 'running' | 'closing' = 'starting';
  const ended = Promise.withResolvers<void>();
  const started = Promise.withResolvers<string>();

  const fail = (error: unknown): void => {
    if (state === 'starting') started.reject(error);
    if (state === 'running') failed(error);
    state = 'closing';
  };
  worker.ref();
  worker.postMessage({ ...settings, asked, reads } satisfies WorkerSettings, [asked, reads]);
  worker.on('message', (reports: unknown) => {
    if (Array.isArray(reports)) for (const report of reports) if (isCoreReport(report)) hear(report);
  });

  function hear(report: CoreReport): void {
    if (report.kind === 'incoming') incoming(report.accountRegNo, report.family, report.integrationId);
    else if (report.kind === 'changed') changed(report.accountRegNo, report.family);
    else if (report.kind === 'turned-away') turnedAway(report.accountRegNo);
    else if (report.kind === 'started') started.resolve(report.url);
    else fail(new AppError(report.code, report.message));
  }
  worker.on('error', fail);
  worker.on('exit', (code) => {
    fail(new AppError('internal', `The thread of the core ended with status ${code}.`));
    portHttp.close();
    tasks.port1.close();
    asker.fail(new AppError('internal', 'The thread of the core has ended.'));
    ended.resolve();
  });

  const url = await started.promise;
  state = 'running';
  return {
    url,
    portHttp,
    measured: () => asker.ask('measure', null),
    alarms: () => asker.ask('alarms', null),
    readHead: (body) => asker.ask('readHead', { body: apart(body), day: dayOf(systemClock.now()) }),
    async turn() {
      await asker.ask('turn', null);
    },
    async reload(asked) {
      await asker.ask('reload', asked);
    },
    async rings(isRinging) {
      await asker.ask('rings', isRinging);
    },
    async close() {
      state = 'closing';
      worker.postMessage('close');
      await ended.promise;
    },
  };
}

/** Both ends are this program: that there is a kind says it all. */
function isCoreReport(message: unknown): message is CoreReport {
  return typeof message === 'object' && message !== null && 'kind' in message;
}
