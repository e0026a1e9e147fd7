// The core in a worker thread: an event loop of its own, so that XML, JSON and commits never stall whoever started it.
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Arrival } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import type { FamilyName } from '#domain/family.ts';
import { type Exchange, openExchange } from '#runtime/exchange.ts';
import type { Core, CoreOptions } from './core.ts';
import { areCoreReports, type CoreReport } from './thread-messages.ts';

/** What can be handed to another thread: plain data. Clock, randomness, log and examiner are the thread's own. */
export type CoreThreadSettings = Omit<CoreOptions, 'clock' | 'random' | 'log' | 'incoming' | 'changed' | 'examiner'> & {
  readonly logLevel: string;
};

/** The same, and the port over which it is asked. */
export type WorkerSettings = CoreThreadSettings & { readonly asked: MessagePort };

export interface CoreThreadOptions extends CoreThreadSettings {
  /** Called in this thread, after the commit of each message that became incoming. */
  readonly incoming: (accountRegNo: string, arrival: Arrival) => void;
  /** The same after the commit of each status of an outgoing message. */
  readonly changed: (accountRegNo: string, family: FamilyName) => void;
  /** Called once when the thread ends though nobody closed it. */
  readonly failed: (error: unknown) => void;
}

export interface CoreThread extends Omit<Core, 'answer'> {
  /** The way to it without a connection, for this process. */
  readonly exchange: Exchange;
}

/** Starts the core in a thread; resolves when it listens. Throws what startCore throws. */
export async function startCoreThread({ incoming, changed, failed, ...settings }: CoreThreadOptions): Promise<CoreThread> {
  const { port1, port2 } = new MessageChannel();
  const workerData: WorkerSettings = { ...settings, asked: port2 };
  const worker = new Worker(new URL('./core-worker.ts', import.meta.url), { workerData, transferList: [port2] });
  const exchange = openExchange(port1);
  let state: 'starting' | 'running' | 'closing' = 'starting';
  const ended = Promise.withResolvers<void>();
  const started = Promise.withResolvers<string>();

  const fail = (error: unknown): void => {
    if (state === 'starting') started.reject(error);
    if (state === 'running') failed(error);
    state = 'closing';
  };
  worker.on('message', (reports: unknown) => {
    if (areCoreReports(reports)) for (const report of reports) hear(report);
  });

  function hear(report: CoreReport): void {
    if (report.kind === 'incoming') incoming(report.accountRegNo, report.arrival);
    else if (report.kind === 'changed') changed(report.accountRegNo, report.family);
    else if (report.kind === 'started') started.resolve(report.url);
    else fail(new AppError(report.code, report.message));
  }
  worker.on('error', fail);
  worker.on('exit', (code) => {
    fail(new AppError('internal', `The thread of the core ended with status ${code}.`));
    exchange.close();
    ended.resolve();
  });

  const url = await started.promise;
  state = 'running';
  return {
    url,
    exchange,
    async close() {
      state = 'closing';
      worker.postMessage('close');
      await ended.promise;
    },
  };
}
