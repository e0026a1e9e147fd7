// What XML Schema allows as the text of a type (XML Schema 1.0 part 2), in time that grows with the text and no faster.
import type { Content } from './data-types.ts';

/** Whether the text, without white space around it, is a value of the type. */
export function isValue(content: Content, text: string): boolean {
  return content === 'text' || CHECKS[content](trimmed(text));
}

/** Without XML's white space around it; unlike String.trim, other spaces stay (XML Schema §4.3.6). */
export function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const BOOLEAN = /^(?:true|false|1|0)$/;
/** A time zone is at most 14 hours away. */
const ZONE = '(?:Z|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00))?';
const DATE = new RegExp(`^-?(\\d{4}|[1-9]\\d{4,})-(\\d\\d)-(\\d\\d)${ZONE}$`);
const TIME = new RegExp(`^(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?|24:00:00(?:\\.0+)?)${ZONE}$`);
const LANGUAGE = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;

const CHECKS: Readonly<Record<Exclude<Content, 'text'>, (text: string) => boolean>> = {
  decimal: (text) => DECIMAL.test(text),
  boolean: (text) => BOOLEAN.test(text),
  date: isDate,
  time: (text) => TIME.test(text),
  base64: (text) => base64Length(text) !== undefined,
  language: (text) => LANGUAGE.test(text),
};

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = DATE.exec(text) ?? [];
  if (year === '' || year === '0000' || month < '01' || month > '12' || day < '01') return false;
  return Number(day) <= daysOf(Number(month), Number(year.slice(-4)));
}

/** The last four digits of a year decide whether it is a leap year. */
function daysOf(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Per character code: the six bits that it stands for, or one of those below. */
const SIX_BITS = new Uint8Array(128).fill(255);
const SPACE = 64;
const PADDING = 65;
for (const [bits, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  SIX_BITS[character.charCodeAt(0)] = bits;
}
for (const character of ' \t\r\n') SIX_BITS[character.charCodeAt(0)] = SPACE;
SIX_BITS['='.charCodeAt(0)] = PADDING;

/** As most programs write it: without white space. */
const UNBROKEN = /^[A-Za-z0-9+/]*={0,2}$/;

/** The number of bytes that a base64 text encodes, white space anywhere; undefined when it is none. Nothing is decoded. */
export function base64Length(text: string): number | undefined {
  // The last four characters tell the padding and what it leaves over; a regular expression is faster for those before.
  if (text.length > 4 && text.length % 4 === 0 && UNBROKEN.test(text)) {
    const ending = base64Length(text.slice(-4));
    return ending === undefined ? undefined : ((text.length - 4) / 4) * 3 + ending;
  }
  let characters = 0;
  let padding = 0;
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const bits = SIX_BITS[text.charCodeAt(at)] ?? 255;
    if (bits < SPACE) {
      if (padding > 0) return undefined;
      characters++;
      last = bits;
    } else if (bits === PADDING) padding++;
    else if (bits !== SPACE) return undefined;
  }
  if (padding > 2 || (characters + padding) % 4 !== 0) return undefined;
  // XML Schema part 2 §3.2.16: the bits that the padding leaves over are zero.
  if ((padding === 1 && (last & 0b11) !== 0) || (padding === 2 && (last & 0b1111) !== 0)) return undefined;
  return Math.floor((characters * 3) / 4);
}
