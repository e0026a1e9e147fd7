// Small charts, drawn here as SVG: no script runs for them, and each stands below as a table, too.
import { isoTime } from '#domain/day.ts';
import type { AnswerOf } from '#operations/table.ts';
import { type Html, html, type Part } from './html.ts';
import { table } from './parts.ts';
import type { Visit } from './visit.ts';
import { moment } from './words.ts';

type Minute = AnswerOf<'activity'>[number];

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const BARS = 96;
const BAR_MINUTES = DAY_MINUTES / BARS;
const [BAR_WIDTH, HEIGHT] = [10, 80];
const HOUR_MINUTES = 60;

/** What happened in some minutes together. */
interface Span {
  readonly since: string;
  readonly dropped: number;
  readonly received: number;
  readonly ended: number;
  readonly loopDelayMs: number;
}

export function chartsOf(minutes: readonly Minute[], visit: Visit): Part {
  const first = minutes[0];
  if (!first) return html`<p class="nothing">Nothing is known yet: the daemon was started less than a minute ago.</p>`;
  const bars = spansOf(minutes, BAR_MINUTES, visit.nowMs);
  const hours = spansOf(minutes, HOUR_MINUTES, visit.nowMs).filter(
    ({ since }) => Date.parse(since) + HOUR_MINUTES * MINUTE_MS > Date.parse(first.at) - MINUTE_MS,
  );
  return html`<div class="charts">
${chart(
  'Documents dropped and received',
  bars.map(({ dropped, received }) => dropped + received),
  (most) => `${most} in a quarter of an hour at the most`,
)}
${chart(
  'Delay of the event loop',
  bars.map(({ loopDelayMs }) => loopDelayMs),
  (most) => `${most} ms at the most`,
)}
</div>
<details><summary>By the hour</summary>${hourTable(hours.toReversed(), visit)}</details>`;
}

/** The spans of a day until now, the oldest first. */
function spansOf(minutes: readonly Minute[], spanMinutes: number, nowMs: number): Span[] {
  const beginMs = nowMs - DAY_MINUTES * MINUTE_MS;
  const spanMs = spanMinutes * MINUTE_MS;
  const by = Map.groupBy(minutes, ({ at }) => Math.ceil((Date.parse(at) - beginMs) / spanMs) - 1);
  return Array.from({ length: DAY_MINUTES / spanMinutes }, (_, at) => {
    const some = by.get(at) ?? [];
    const sum = (of: (minute: Minute) => number): number => some.reduce((all, minute) => all + of(minute), 0);
    return {
      since: isoTime(beginMs + at * spanMs),
      dropped: sum(({ dropped }) => dropped),
      received: sum(({ received }) => received),
      ended: sum(({ ended }) => ended),
      loopDelayMs: Math.max(0, ...some.map(({ loopDelayMs }) => loopDelayMs)),
    };
  });
}

function chart(title: string, values: readonly number[], told: (most: number) => string): Html {
  const most = Math.max(...values);
  const bars = values.map((value, at) => {
    const height = most === 0 ? 0 : Math.max(Math.round((value / most) * HEIGHT), value > 0 ? 2 : 0);
    return height > 0 && html`<rect x="${at * BAR_WIDTH + 1}" y="${HEIGHT - height}" width="${BAR_WIDTH - 2}" height="${height}"/>`;
  });
  return html`<figure class="chart"><figcaption>${title} <small>the last 24 hours, ${told(most)}</small></figcaption>
<svg viewBox="0 0 ${BARS * BAR_WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}: ${told(most)}">${bars}</svg></figure>`;
}

function hourTable(hours: readonly Span[], { nowMs }: Visit): Html {
  const columns = {
    since: ({ since }: Span) => moment(since, nowMs),
    dropped: ({ dropped }: Span) => dropped,
    ended: ({ ended }: Span) => ended,
    received: ({ received }: Span) => received,
    'loop delay': ({ loopDelayMs }: Span) => `${loopDelayMs} ms`,
  };
  return table('What was done, by the hour', columns, hours, 'Nothing is known yet.');
}
