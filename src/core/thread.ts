// The core in a worker thread: an event loop of its own, so that XML, JSON and commits never stall whoever started it.
import { Worker } from 'node:worker_threads';
import { AppError } from '#domain/error.ts';
import type { FamilyName } from '#domain/family.ts';
import type { Core, CoreOptions } from './core.ts';
import { isCoreReport } from './thread-messages.ts';

/** What can be handed to another thread: plain data. Clock, randomness, log and examiner are the thread's own. */
export type CoreThreadSettings = Omit<CoreOptions, 'clock' | 'random' | 'log' | 'incoming' | 'changed' | 'examiner'> & {
  readonly logLevel: string;
};

export interface CoreThreadOptions extends CoreThreadSettings {
  /** Called in this thread, after the commit of each message that became incoming. */
  readonly incoming: (accountRegNo: string, family: FamilyName, integrationId: string) => void;
  /** The same after the commit of each status of an outgoing message. */
  readonly changed: (accountRegNo: string, family: FamilyName) => void;
  /** Called once when the thread ends though nobody closed it. */
  readonly failed: (error: unknown) => void;
}

/** Starts the core in a thread; resolves when it listens. Throws what startCore throws. */
export async function startCoreThread({ incoming, changed, failed, ...settings }: CoreThreadOptions): Promise<Core> {
  const worker = new Worker(new URL('./core-worker.ts', import.meta.url), { workerData: settings });
  let state: 'starting' | 'running' | 'closing' = 'starting';
  const ended = Promise.withResolvers<void>();
  const started = Promise.withResolvers<string>();

  const fail = (error: unknown): void => {
    if (state === 'starting') started.reject(error);
    if (state === 'running') failed(error);
    state = 'closing';
  };
  worker.on('message', (report: unknown) => {
    if (!isCoreReport(report)) return;
    if (report.kind === 'incoming') incoming(report.accountRegNo, report.family, report.integrationId);
    else if (report.kind === 'changed') changed(report.accountRegNo, report.family);
    else if (report.kind === 'started') started.resolve(report.url);
    else fail(new AppError(report.code, report.message));
  });
  worker.on('error', fail);
  worker.on('exit', (code) => {
    fail(new AppError('internal', `The thread of the core ended with status ${code}.`));
    ended.resolve();
  });

  const url = await started.promise;
  state = 'running';
  return {
    url,
    async close() {
      state = 'closing';
      worker.postMessage('close');
      await ended.promise;
    },
  };
}
