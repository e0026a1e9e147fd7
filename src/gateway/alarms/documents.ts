// Documents that were refused, and those that are held.
import type { Alarm, Seen } from '#domain/alarm.ts';
import { counted } from '#domain/amounts.ts';
import { isoTime } from '#domain/day.ts';
import { type Refusal, readHeld, readRefusals } from '#gateway/ledger/alarms.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { Memory } from './memory.ts';

/** Of one look; the others come with the next. */
const REFUSALS_MAX = 10_000;
/** On PostgreSQL an earlier number may be committed after a later one: so many are looked through again. */
const OVERLAP = 1_000;

/** Counts refusals once, from the first start of alarms on. */
export function refusals(ledger: Ledger, memory: Memory): () => Promise<Alarm[]> {
  let told = new Set<number>();
  return async () => {
    const { publication: before } = memory.now;
    const found = await readRefusals(ledger.read, before - OVERLAP, REFUSALS_MAX);
    // After a start only what is certainly new.
    const isNew = ({ publication }: Refusal): boolean => !told.has(publication) && (publication > before || told.size > 0);
    const added = found.filter(isNew);
    told = new Set(found.map(({ publication }) => publication));
    memory.note({ publication: Math.max(before, ...found.map(({ publication }) => publication)) });
    return [...Map.groupBy(added, ({ accountRegNo }) => accountRegNo)].map(([subject, some]) => refusalAlarm(subject, some));
  };
}

function refusalAlarm(subject: string, some: readonly Refusal[]): Alarm {
  const last = some.at(-1);
  const sentence = `${nameText(last?.fileName ?? '')} was refused: ${last?.reason ?? 'its receipt says why'} ('dropgate item ${last?.item.slice(-8).toLowerCase()}').`;
  return { kind: 'refused', subject, sentence, times: some.length };
}

async function heldAlarms({ read }: Ledger): Promise<Alarm[]> {
  return (await readHeld(read)).map(({ accountRegNo, items, oldestAt }) => ({
    kind: 'held',
    subject: accountRegNo,
    sentence: `${counted(items, 'document waits', 'documents wait')} for a person, the oldest since ${isoTime(oldestAt)}: 'dropgate items --state held --account ${accountRegNo}' says why.`,
  }));
}

export async function lookAtDocuments(ledger: Ledger, refused: () => Promise<Alarm[]>): Promise<Seen> {
  return { stands: await heldAlarms(ledger), happened: await refused() };
}
