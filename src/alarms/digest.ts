// A digest: what one channel tells at a time, as text for people and as facts for programs.
import { hash } from 'node:crypto';
import { ALARM_KINDS, type Alarm, type AlarmKind } from '#domain/alarm.ts';
import { isoTime } from '#domain/day.ts';
import { visible } from '#domain/visible.ts';
import type { News, Post } from './book.ts';

export interface Digest {
  /** The same for the same news. */
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  readonly facts: object;
}

/** Where the alarms come from. */
export interface Origin {
  readonly host: string;
  readonly data: string;
}

/** Lines of one kind; the rest is counted. */
const LINES_MAX = 20;
const HEADINGS = { began: 'BEGAN', happened: 'HAPPENED', ended: 'ENDED' } as const;

/** `standing`: how many alarms stand in all. */
export function digestOf({ news, lost }: Post, standing: number, { host, data }: Origin, at: number): Digest {
  const counts = (['began', 'happened', 'ended'] as const).map((what) => [what, news.filter((each) => each.what === what)] as const);
  const told = counts.filter(([, some]) => some.length > 0);
  const paragraphs = told.map(([what, some]) => `${HEADINGS[what]}\n${sectionsOf(some).join('\n')}`);
  const last = [
    lost > 0 && `${lost} more found no room in this digest.`,
    standing > 0 ? `Alarms that stand now: ${standing}; 'dropgate alarm list' shows them.` : 'No alarm stands now.',
    `Dropgate on ${host}, data folder ${data}, ${isoTime(at)}.`,
  ].filter((line) => line !== false);
  return {
    id: hash('sha256', JSON.stringify(news)).slice(0, 32),
    subject: visible(`Dropgate on ${host}: ${told.map(([what, some]) => `${some.length} ${what}`).join(', ')}`),
    text: `${[...paragraphs, last.join('\n')].join('\n\n')}\n`,
    facts: {
      host,
      data,
      at: isoTime(at),
      standing,
      ...Object.fromEntries(counts.map(([what, some]) => [what, some.map(factsOf)])),
    },
  };
}

function sectionsOf(news: readonly News[]): string[] {
  const kinds = [...new Set(news.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const some = news.filter((each) => each.kind === kind);
    const more = some.length - LINES_MAX;
    return [
      `  ${headingOf(kind)}`,
      ...some.slice(0, LINES_MAX).map((each) => `    ${lineOf(each)}`),
      ...(more > 0 ? [`    and ${more} more`] : []),
    ];
  });
}

function headingOf(kind: AlarmKind): string {
  return ALARM_KINDS[kind];
}

/** `subject: sentence`, on one line whatever names are in it. */
function lineOf({ subject, sentence, times = 1 }: Alarm): string {
  return visible(`${subject === '' ? '' : `${subject}: `}${times > 1 ? `${times} times, the last one: ` : ''}${sentence}`);
}

function factsOf({ kind, subject, sentence, times = 1, at }: News): object {
  return { kind, subject, sentence, times, at: isoTime(at) };
}
