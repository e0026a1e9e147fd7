// Which accounts are silent against their rhythm: simulated years of an installation with holidays, closures and month ends.
import { describe, expect, it } from 'vitest';
import { Rhythms } from '#gateway/model/rhythm.ts';
import { amountOf } from '../../../support/amounts.ts';
import { randomOf } from '../../../support/random.ts';
import { DAY, HOUR, isWeekend, names, START, weeks } from '../../../support/rhythms.ts';

interface Sender {
  readonly name: string;
  /** It is closed for a week or two: then it is silent, and told of rightly. */
  readonly isClosed: (day: number) => boolean;
  /** The hour of its first document on a day of the simulation; undefined when it sends none. */
  readonly first: (day: number) => number | undefined;
  /** It stops with this day. */
  readonly stops: number;
}

const QUARTER = 91;
const LEARNT = 13 * 7;
const YEAR = 52 * 7;
const END = LEARNT + YEAR + 7;

/** Public holidays, as days of the simulation that are working days otherwise: some alone, some in a row. */
const HOLIDAYS = new Set([
  LEARNT + 1,
  LEARNT + 46,
  LEARNT + 49,
  LEARNT + 87,
  LEARNT + 98,
  LEARNT + 115,
  LEARNT + 240,
  LEARNT + 331,
  LEARNT + 332,
  LEARNT + 333,
  LEARNT + 338,
]);
const ON_HOLIDAYS = 8;

/** An installation of senders of many kinds: `[count, working days out of 1000, first hour, spread of hours]`. */
const KINDS = {
  'daily, all day': [120, 1000, 7, 3],
  'daily, one batch': [60, 998, 10, 2],
  'daily, late': [20, 999, 17, 2],
  'nearly daily': [80, 960, 9, 6],
  'most days': [60, 850, 8, 8],
  'half of the days': [60, 500, 8, 8],
  rarely: [60, 60, 8, 8],
  weekly: [40, 995, 9, 4],
  'month ends': [40, 995, 9, 8],
} as const;

function senders(draw: (min: number, max: number) => number): Sender[] {
  return Object.entries(KINDS).flatMap(([kind, [count, often, hour, spread]]) =>
    Array.from({ length: count }, (_, at): Sender => {
      const weekday = draw(0, 4);
      // One in eight is closed for two weeks in summer, one in four between the holidays at the end of the year.
      const summer = draw(1, 8) === 1 ? LEARNT + 180 + draw(0, 5) * 7 : END;
      const isClosedAtEnd = draw(1, 4) === 1;
      const isClosed = (day: number): boolean =>
        (day >= summer && day < summer + 14) || (isClosedAtEnd && day >= LEARNT + 331 && day < LEARNT + 341);
      const isItsDay = (day: number): boolean =>
        kind === 'weekly'
          ? day % 7 === weekday
          : kind === 'month ends'
            ? day % 30 >= 27 || (!isWeekend(day) && draw(1, 10) === 1)
            : !isWeekend(day);
      return {
        name: `${kind} ${at}`,
        isClosed,
        stops: kind.startsWith('daily') ? LEARNT + draw(0, YEAR - 1) : END,
        first: (day) => {
          if (!isItsDay(day) || isClosed(day) || draw(1, 1000) > often) return undefined;
          if (HOLIDAYS.has(day) && draw(1, 100) > ON_HOLIDAYS) return undefined;
          return hour + draw(0, spread * 10) / 10;
        },
      };
    }),
  );
}

interface Year {
  /** Of each account, the days on which it was told falsely. */
  readonly falsely: ReadonlyMap<string, number[]>;
  /** Of those that stopped, the day on which they were told. */
  readonly told: ReadonlyMap<string, number>;
}

/** `isStopping`: senders stop when they say so; otherwise nobody does. */
function simulate(all: readonly Sender[], isStopping: boolean): Year {
  const rhythms = Rhythms.begin(START);
  const falsely = new Map<string, number[]>();
  const told = new Map<string, number>();
  let before = new Set<string>();
  const closed = new Map(all.map(({ name, isClosed }) => [name, isClosed]));
  const stopsAt = new Map(all.map(({ name, stops }) => [name, isStopping ? stops : END]));
  for (let day = 0; day < END; day++) {
    const firsts = all.map(({ name, first }) => ({ name, hour: first(day) })).filter(({ name }) => day < (stopsAt.get(name) ?? END));
    for (let hours = 0; hours <= 24; hours += 4) {
      for (const { name, hour } of firsts) {
        if (hour !== undefined && hour >= hours - 4 && hour < hours) rhythms.arrived(name, START + day * DAY + hour * HOUR);
      }
      const now = START + day * DAY + hours * HOUR;
      const silent = new Set(rhythms.silent(now).map(({ accountRegNo }) => accountRegNo));
      for (const name of silent) {
        const on = hours === 0 ? day - 1 : day;
        if (day >= (stopsAt.get(name) ?? END)) told.set(name, told.get(name) ?? on);
        // Of a closure that begins on the next day it is told rightly, too.
        else if (!before.has(name) && !closed.get(name)?.(on) && !closed.get(name)?.(on + 1))
          falsely.set(name, [...(falsely.get(name) ?? []), on]);
      }
      before = silent;
    }
  }
  return { falsely, told };
}

/** The first working day without a document. */
function firstMissed(stops: number): number {
  let day = stops;
  while (isWeekend(day) || HOLIDAYS.has(day)) day++;
  return day;
}

/** Draws that nothing was tuned on. */
const SEEDS = [301, 302, 303].slice(0, amountOf('DROPGATE_RHYTHM_YEARS'));

describe('simulated years', () => {
  it('tell of daily senders that stop within one working day, and of no account falsely twice in a quarter', () => {
    const sum = { daily: 0, inTime: 0, accounts: 0, falsely: 0, twice: 0 };
    for (const seed of SEEDS) {
      const all = senders(randomOf(seed));
      const inYear = [...simulate(all, false).falsely.values()].map((days) => days.filter((day) => day >= LEARNT));
      sum.accounts += all.length;
      sum.falsely += inYear.flat().length;
      sum.twice += inYear.filter((days) => days.some((day, at) => (days[at + 1] ?? END + QUARTER) < day + QUARTER)).length;
      const daily = all.filter(({ name }) => name.startsWith('daily'));
      const { told } = simulate(senders(randomOf(seed)), true);
      sum.daily += daily.length;
      sum.inTime += daily.filter(({ name, stops }) => (told.get(name) ?? END) <= firstMissed(stops)).length;
      expect(daily.filter(({ name }) => !told.has(name))).toEqual([]);
    }
    console.info(
      `${sum.inTime} of ${sum.daily} daily senders told within one working day; ${sum.falsely} false alarms in ${sum.accounts} years of accounts, ${sum.twice} accounts twice in a quarter`,
    );
    expect(sum.inTime / sum.daily).toBeGreaterThanOrEqual(0.95);
    expect(sum.twice).toBe(0);
  });
});

/** A silence that an account was told of: on which day, and how many days it had lasted when it sent again. */
interface Told {
  readonly day: number;
  readonly lasts: number;
}

/** A sender as no rule was made for: on some weekdays, more or less often, later or earlier, away for days now and then. */
function anySender(draw: (min: number, max: number) => number): (day: number) => number | undefined {
  const weekdays = Array.from({ length: 7 }, (_, weekday) => draw(1, 10) > (weekday < 5 ? 2 : 9));
  const often = draw(700, 1000);
  const away = draw(0, 12);
  let awayUntil = 0;
  return (day) => {
    if (draw(1, 1000) <= away) awayUntil = day + draw(1, 12);
    return day >= awayUntil && weekdays[day % 7] && draw(1, 1000) <= often ? draw(0, 239) / 10 : undefined;
  };
}

function toldOf(first: (day: number) => number | undefined, days: number): Told[] {
  const rhythms = Rhythms.begin(START);
  const told: Told[] = [];
  let [last, silentSince] = [0, -1];
  for (let day = 0; day < days; day++) {
    weeks(rhythms, names(6), day, day + 1);
    const hour = first(day);
    for (let hours = 0; hours < 24; hours += 4) {
      const isSilent = rhythms.silent(START + day * DAY + hours * HOUR).some(({ accountRegNo }) => accountRegNo === 'any');
      if (isSilent && silentSince < 0) silentSince = day;
      if (hour === undefined || hour < hours || hour >= hours + 4) continue;
      if (silentSince >= 0) told.push({ day: silentSince, lasts: day - last });
      rhythms.arrived('any', START + day * DAY + hour * HOUR);
      [last, silentSince] = [day, -1];
    }
  }
  return told;
}

it('of two times that any sender is told of within a quarter one was a silence of more than a week', () => {
  const draw = randomOf(307);
  let twice = 0;
  for (let sender = 0; sender < 100; sender++) {
    const told = toldOf(anySender(draw), 3 * YEAR);
    for (const [at, { day, lasts }] of told.entries()) {
      const next = told[at + 1];
      if (next === undefined || next.day >= day + QUARTER) continue;
      twice++;
      expect(Math.max(lasts, next.lasts)).toBeGreaterThan(7);
    }
  }
  expect(twice).toBeGreaterThan(3);
});
