// The service: accounts and families of which it refuses everything, and for which it has been silent.
import type { Alarm } from '#domain/alarm.ts';
import { ALARM_AFTER_MS } from '#domain/retry.ts';
import { readSilences } from '#gateway/ledger/alarms.ts';
import { readPausing } from '#gateway/ledger/circuit-breaker.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Memory } from './memory.ts';

/** What is tried in vain is tried again every quarter of an hour: nothing for this long, and it is over. */
const TRIED_WITHIN_MS = 40 * 60_000;

export async function serviceAlarms({ read }: Ledger, memory: Memory, clock: Clock): Promise<Alarm[]> {
  const now = clock.now();
  const paused = (await readPausing(read, now)).map(
    ({ accountRegNo, family, reason }): Alarm => ({
      kind: 'service-silent',
      subject: subjectOf(accountRegNo, family),
      sentence: `the service refuses more than one document, so they wait: ${reason}.`,
    }),
  );
  const tried = await readSilences(read, now - TRIED_WITHIN_MS);
  const before = memory.now.silences ?? {};
  const begun = Object.fromEntries(
    tried.map(({ accountRegNo, family, lastsMs }) => {
      const subject = subjectOf(accountRegNo, family);
      return [subject, before[subject] ?? lastsMs];
    }),
  );
  memory.note({ silences: begun });
  const silent = tried.flatMap(({ accountRegNo, family, lastsMs }): Alarm[] => {
    const subject = subjectOf(accountRegNo, family);
    if (lastsMs - (begun[subject] ?? lastsMs) < ALARM_AFTER_MS) return [];
    return [
      {
        kind: 'service-silent',
        subject,
        sentence: 'nothing was heard of what was sent for an hour. The documents are safe, and are tried every 15 minutes.',
      },
    ];
  });
  // One of each subject: a pause tells more.
  const known = new Set(paused.map(({ subject }) => subject));
  return [...paused, ...silent.filter(({ subject }) => !known.has(subject))];
}

function subjectOf(accountRegNo: string, family: string | null): string {
  return family === null ? accountRegNo : `${accountRegNo} ${family}`;
}
