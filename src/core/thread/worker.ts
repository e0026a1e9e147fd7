// The entry of the core's thread: starts the core as it is told, reports, and closes it on request.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { type Core, startCore } from '#core/core.ts';
import { openExaminer } from '#core/examination/examiner.ts';
import { toAppError } from '#domain/error.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { inWords } from '#runtime/files/rights.ts';
import { openStandardLog } from '#runtime/log.ts';
import { linesWith } from '#runtime/log-throttle.ts';
import { Metrics } from '#runtime/metrics.ts';
import { measureLoopDelay } from '#runtime/threads/loop-delay.ts';
import { openBatches } from '#runtime/threads/messages.ts';
import { answerPortHttp } from '#runtime/threads/port-http.ts';
import { startResting } from '#runtime/threads/rest.ts';
import { answerAsker } from '#runtime/threads/tasks.ts';
import type { CoreReport, CoreTasks, WorkerSettings } from './thread.ts';

const port = parentPort;
port?.once('message', (settings: WorkerSettings) => run(port, settings));

async function run(port: MessagePort, { asked, reads, ...settings }: WorkerSettings): Promise<void> {
  const log = openStandardLog(settings.logSettings);
  const { post: report, flush } = openBatches<CoreReport>(port);
  const examiner = openExaminer(log);
  const metrics = settings.isMeasured ? new Metrics() : undefined;
  if (metrics) measureLoopDelay(metrics, 'core');
  let core: Core;
  try {
    core = await startCore({
      ...settings,
      clock: systemClock,
      random: systemRandom,
      log,
      metrics,
      examiner,
      incoming: (accountRegNo, family, integrationId) => report({ kind: 'incoming', accountRegNo, family, integrationId }),
      changed: (accountRegNo, family) => report({ kind: 'changed', accountRegNo, family }),
      turnedAway: (accountRegNo) => report({ kind: 'turned-away', accountRegNo }),
    });
  } catch (error) {
    const { code, message } = toAppError(inWords(error));
    log.error({ event: 'core.not-started', err: error });
    report({ kind: 'refused', code, message });
    flush();
    port.close();
    asked.close();
    reads.close();
    return;
  }
  const answering = answerPortHttp(asked, core.answer);
  answerAsker<CoreTasks>(reads, {
    readHead: examiner.readHead,
    turn: async () => null,
    measure: async () => (await metrics?.measured()) ?? [],
    alarms: () => core.alarms(),
    rings: async (isRinging) => {
      core.rings(isRinging);
      return null;
    },
    async reload({ logLevel, ...live }) {
      log.level = logLevel;
      core.reload(live);
      return null;
    },
  });
  startResting({ clock: systemClock, log: linesWith(log, { thread: 'core' }) });
  report({ kind: 'started', url: core.url });
  port.once('message', async () => {
    try {
      await answering.close();
      await core.close();
    } catch (error) {
      log.error({ event: 'core.not-closed', err: error });
    }
    log.flush();
    flush();
    // Nothing else keeps the thread alive.
    reads.close();
    port.close();
  });
}
