// The forms of the log: JSON lines for programs, and for people at a terminal one line with the time of day, the level, the event and the facts.
import { isatty } from 'node:tty';
import { visible, visibleLines } from '#domain/visible.ts';

export type LogForm = 'json' | 'pretty' | 'coloured';

interface Line {
  readonly time: string;
  readonly level: string;
  readonly event?: string;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
  readonly [fact: string]: unknown;
}

const STDOUT = 1;
const COLOURS: Readonly<Record<string, string>> = { debug: '2', info: '32', warn: '33', error: '31', fatal: '31' };
const DIM = '2';
/** So wide is the level, so that events stand below each other. */
const LEVEL_WIDTH = 5;

/** `auto` is pretty where standard output is a terminal, JSON otherwise. `mayColour`: what the environment says of colours. */
export function logForm(setting: 'auto' | 'json' | 'pretty', mayColour: boolean): LogForm {
  const isTerminal = isatty(STDOUT);
  if (setting === 'json' || (setting === 'auto' && !isTerminal)) return 'json';
  return isTerminal && mayColour ? 'coloured' : 'pretty';
}

/** A line of JSON as people read it, in local time. Whatever clients have put into it moves no cursor. */
export function prettyLine(json: string, isColoured: boolean): string {
  const { time, level, event, msg, err, ...facts }: Line = JSON.parse(json);
  const colour = (code: string, text: string): string => (isColoured ? `\x1b[${code}m${text}\x1b[0m` : text);
  const told = Object.entries(facts).map(([name, value]) => `${colour(DIM, `${visible(name)}=`)}${valueText(value)}`);
  const label = colour(COLOURS[level] ?? DIM, level.toUpperCase().padEnd(LEVEL_WIDTH));
  const words = [colour(DIM, timeOfDay(time)), label, visible(event ?? msg ?? ''), ...told];
  return `${words.join(' ')}${err === undefined ? '' : errorText(err)}\n`;
}

function valueText(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return visible(value);
  return visible(JSON.stringify(value));
}

/** On lines of its own, with what it was caused by. */
function errorText(error: NonNullable<Line['err']>): string {
  const text = error.stack ?? valueText(error);
  return visibleLines(`\n    ${text.replaceAll('\n', '\n    ')}`);
}

function timeOfDay(iso: string): string {
  const at = new Date(iso);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
