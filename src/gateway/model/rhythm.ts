// Learns from the last quarter on which weekdays, and by which hour, an account usually sends, and finds accounts that are silent against it.
// Days are those of UTC. Of each day only the class of hours is kept in which the account sent first, or that it did not send.
//
//   usual day      a weekday on nearly all of which the account sent
//   deadline       the end of the class after the latest one in which it sent first on a usual day
//   missed day     a usual day without a document by the deadline
//   closed         a week or more without any document: these days do not count, unless the account is closed often
//   holiday        a day on which many usual senders of the installation were silent: it does not count for them. At most three in a row;
//                  after these it is more likely that no documents reach us
//
//   an account that in the quarter              is silent after so many missed days in a row
//   missed no day                               one
//   missed e stretches of its n usual days      as many as make ((e + 1½) / (n + 1))^days small; three after a single missed day
//   had an alarm, and came back within a week   two weeks
//
// So of two alarms about an account within a quarter one is about a silence of more than a week, and no account has two by accident.
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Hours of a class. */
const CLASS_HOURS = 4;
const CLASSES = 24 / CLASS_HOURS;
const CLASS_MS = CLASS_HOURS * HOUR_MS;
const WEEK = 7;
export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
type Weekday = (typeof WEEKDAYS)[number];
/** As 1970 began. */
const THURSDAY = 3;
/** 13 weeks. */
export const HISTORY_DAYS = 91;

/** With so many usual days, none of them missed, one missed day is enough. */
const USUAL_MIN = 25;
/** As unlikely must it be that days are missed by accident: once in four years. */
const ACCIDENT = 0.001;
/** A working week with the weekends beside it; and how many such days may be left out. */
const CLOSED = /[.~]{9,}/g;
const CLOSED_MAX = 28;
const CLOSED_UNTIL_NOW = /[.~]{9,}$/;
/** Of the same weekday so many must have counted, and on this part of them it must have sent. */
const WEEKDAYS_MIN = 4;
const USUAL_SHARE = 0.8;
/** Missed days in a row, of an account that was told of within the quarter and came back. */
const AGAIN_MIN = 10;
/** An account of which more missed days in a row are needed is not busy enough to be told of. */
const MISSED_MAX = 4;

/** Where fewer accounts usually send, nothing can be told from the others. */
const CROWD_MIN = 4;
/** Of them, the part that is silent on a holiday. */
const HOLIDAY_SHARE = 1 / 3;
const HOLIDAYS_MAX = 3;

/** Days as characters: 0 to 5, the class in which it sent first; `.` it did not; `~` does not count. */
const NOTHING = '.';
const UNCOUNTED = '~';

/** What is kept: days since 1970, and for each account its days up to this one, the oldest first. */
interface RhythmState {
  readonly day: number;
  /** Holidays in a row until yesterday. */
  readonly holidays: number;
  readonly accounts: Readonly<Record<string, string>>;
  /** Of accounts that were told of within the quarter, the day on which they were. */
  readonly told?: Readonly<Record<string, number>>;
}

/** An account that has stopped sending. */
interface SilentAccount {
  readonly accountRegNo: string;
  /** The first day that it has missed, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** Usual days in a row that it has missed. */
  readonly missed: number;
}

/** How an account usually sends, for people. */
export interface UsualRhythm {
  /** Days of the week on which it sends. */
  readonly days: readonly Weekday[];
  /** The hour of the day, in UTC, by which it has sent. */
  readonly byHour: number;
}

/** How an account usually sends. */
interface Usual {
  /** By weekday, Thursday first, as 1970 began. */
  readonly weekdays: readonly boolean[];
  /** Classes of a day that have begun when it is late. */
  readonly deadline: number;
  /** Missed days in a row that are no accident. */
  readonly enough: number;
}

interface Known {
  /** Up to yesterday. */
  days: string;
  today: string;
  /** Null where it has no rhythm. */
  usual: Usual | null;
  /** Usual days in a row that it has missed until yesterday, and the first of them. */
  missed: number;
  since: number;
}

/** The rhythms of all accounts of an installation. Time only goes forward in it. */
export class Rhythms {
  readonly #accounts = new Map<string, Known>();
  readonly #told: Map<string, number>;
  #day: number;
  #holidays: number;

  constructor({ day, holidays, accounts, told = {} }: RhythmState) {
    this.#told = new Map(Object.entries(told));
    this.#day = day;
    this.#holidays = holidays;
    for (const [name, days] of Object.entries(accounts)) this.#accounts.set(name, this.#known(days.slice(0, -1), days.at(-1) ?? NOTHING));
  }

  /** Knows nothing, from this moment on. */
  static begin(atMs: number): Rhythms {
    return new Rhythms({ day: Math.floor(atMs / DAY_MS), holidays: 0, accounts: {} });
  }

  get state(): RhythmState {
    const accounts = Object.fromEntries([...this.#accounts].map(([name, { days, today }]) => [name, days + today]));
    const told = Object.fromEntries([...this.#told].filter(([, since]) => this.#isOfQuarter(since)));
    return { day: this.#day, holidays: this.#holidays, accounts, told };
  }

  /** An account has sent. What was sent before today is too late to be noted. */
  arrived(accountRegNo: string, atMs: number): void {
    this.pass(atMs);
    if (Math.floor(atMs / DAY_MS) !== this.#day) return;
    const hours = String(Math.floor((atMs % DAY_MS) / CLASS_MS));
    const known = this.#accounts.get(accountRegNo);
    if (known === undefined) this.#accounts.set(accountRegNo, this.#known('', hours));
    else if (known.today === NOTHING || hours < known.today) known.today = hours;
  }

  /** Ends the days that are over. */
  pass(nowMs: number): void {
    const today = Math.floor(nowMs / DAY_MS);
    // Of longer ago nothing would be left.
    if (today - this.#day > HISTORY_DAYS) this.#forget(today);
    while (this.#day < today) this.#endDay();
  }

  /** Who is silent now, of those that have a rhythm; they count as told. */
  silent(nowMs: number): SilentAccount[] {
    this.pass(nowMs);
    const begun = Math.floor((nowMs % DAY_MS) / CLASS_MS);
    const late = [...this.#accounts].filter(([, known]) => this.#isLate(known, begun));
    const due = [...this.#accounts.values()].filter(
      ({ usual, missed }) => this.#isUsual(usual) && missed === 0 && (usual?.deadline ?? CLASSES) <= begun,
    );
    const missing = due.filter(({ today }) => today === NOTHING).length;
    // A verdict on today needs the others; without them it falls when the day is over.
    const isJudged = due.length >= CROWD_MIN && !this.#isHoliday(missing, due.length);
    const isMissed = new Set(isJudged ? late.map(([name]) => name) : []);
    return [...this.#accounts].flatMap(([accountRegNo, { usual, today, missed, since }]) => {
      const all = missed + (isMissed.has(accountRegNo) ? 1 : 0);
      if (usual === null || today !== NOTHING) return [];
      const first = missed > 0 ? since : this.#day;
      if (all < (this.#cameBack(accountRegNo, first) ? AGAIN_MIN : usual.enough)) return [];
      if (!this.#isTold(accountRegNo, first)) this.#told.set(accountRegNo, this.#day);
      return [{ accountRegNo, sinceMs: first * DAY_MS, missed: all }];
    });
  }

  /** Null for an account that has no rhythm. */
  usualOf(accountRegNo: string): UsualRhythm | null {
    const usual = this.#accounts.get(accountRegNo)?.usual;
    if (!usual) return null;
    const days = WEEKDAYS.filter((_, day) => usual.weekdays[(day + WEEK - THURSDAY) % WEEK]);
    return { days, byHour: usual.deadline * CLASS_HOURS };
  }

  /** Forgets accounts that are there no more. */
  keep(isThere: (accountRegNo: string) => boolean): void {
    for (const name of this.#accounts.keys()) {
      if (isThere(name)) continue;
      this.#accounts.delete(name);
      this.#told.delete(name);
    }
  }

  /** Whether there was an alarm about the silence that began on this day; an earlier alarm was about another silence. */
  #isTold(accountRegNo: string, first: number): boolean {
    return (this.#told.get(accountRegNo) ?? Number.NEGATIVE_INFINITY) >= first;
  }

  /** Whether there was an alarm within the quarter about an earlier silence than the one that began on this day. */
  #cameBack(accountRegNo: string, first: number): boolean {
    const told = this.#told.get(accountRegNo);
    return told !== undefined && told < first && this.#isOfQuarter(told);
  }

  #isOfQuarter(day: number): boolean {
    return this.#day - day <= HISTORY_DAYS;
  }

  #isUsual(usual: Usual | null): boolean {
    return usual?.weekdays[this.#day % WEEK] === true;
  }

  #isLate({ usual, today }: Known, begun: number): boolean {
    return usual !== null && this.#isUsual(usual) && today === NOTHING && usual.deadline <= begun;
  }

  #isHoliday(silent: number, usual: number): boolean {
    return usual >= CROWD_MIN && silent >= usual * HOLIDAY_SHARE && this.#holidays < HOLIDAYS_MAX;
  }

  #endDay(): void {
    const all = [...this.#accounts.values()];
    const usual = all.filter((known) => this.#isUsual(known.usual) && known.missed === 0);
    const silent = usual.filter(({ today }) => today === NOTHING);
    const isHoliday = this.#isHoliday(silent.length, usual.length);
    // Days on which hardly anybody sends anyway, as at weekends, say nothing.
    if (usual.length >= CROWD_MIN) this.#holidays = isHoliday ? this.#holidays + 1 : 0;
    for (const [name, known] of this.#accounts) {
      const mark = known.today === NOTHING && isHoliday ? UNCOUNTED : known.today;
      const days = (known.days + mark).slice(1 - HISTORY_DAYS);
      if (mark === NOTHING && known.usual !== null) this.#miss(known, days);
      // While it is silent its rhythm stays what it was.
      else if (mark === UNCOUNTED) Object.assign(known, { days, today: NOTHING });
      else {
        if (this.#isTold(name, known.since) && isClosure(known)) this.#told.delete(name);
        Object.assign(known, this.#known(days, NOTHING, this.#day + 1));
      }
    }
    this.#day++;
  }

  #miss(known: Known, days: string): void {
    if (this.#isUsual(known.usual) && known.missed++ === 0) known.since = this.#day;
    Object.assign(known, { days, today: NOTHING });
    // It has been silent for so long that nothing is left of its rhythm.
    if (!/\d/.test(days)) Object.assign(known, this.#known(days, NOTHING, this.#day + 1));
  }

  /** `today`: the day after the last of `days`. */
  #known(days: string, mark: string, today = this.#day): Known {
    const sent = days.replace(/\D+$/, '');
    const first = today - days.length;
    const usual = usualOf(sent, first);
    let missed = 0;
    let since = today;
    for (let at = sent.length; at < days.length; at++) {
      if (days[at] === NOTHING && usual?.weekdays[(first + at) % WEEK] && missed++ === 0) since = first + at;
    }
    return { days, today: mark, usual, missed, since };
  }

  #forget(today: number): void {
    this.#accounts.clear();
    this.#told.clear();
    this.#day = today;
    this.#holidays = 0;
  }
}

/** `sent`: up to the last day on which it sent; `first`: the first day. */
function usualOf(sent: string, first: number): Usual | null {
  const days = withoutClosed(sent);
  const weekdays = Array.from({ length: WEEK }, (_, weekday) => isUsualWeekday(days, weekday - (first % WEEK)));
  let usual = 0;
  let latest = 0;
  let accidents = 0;
  let isMissing = false;
  for (let at = 0; at < days.length; at++) {
    const mark = days[at] ?? UNCOUNTED;
    if (mark === UNCOUNTED || !weekdays[(first + at) % WEEK]) continue;
    usual++;
    if (mark !== NOTHING) latest = Math.max(latest, Number(mark));
    else if (!isMissing) accidents++;
    isMissing = mark === NOTHING;
  }
  const enough = enoughDays(usual, accidents);
  return enough > MISSED_MAX ? null : { weekdays, deadline: Math.min(latest + 2, CLASSES), enough };
}

/** It was silent until now, and it was right to tell of that. */
function isClosure({ days, missed }: Known): boolean {
  return missed >= MISSED_MAX && CLOSED_UNTIL_NOW.test(days);
}

function withoutClosed(days: string): string {
  const closed = days.match(CLOSED)?.join('').length ?? 0;
  return closed > CLOSED_MAX ? days : days.replace(CLOSED, (run) => UNCOUNTED.repeat(run.length));
}

/** `offset`: of the first such weekday, perhaps of the week before. */
function isUsualWeekday(days: string, offset: number): boolean {
  let counted = 0;
  let sent = 0;
  for (let at = (offset + WEEK) % WEEK; at < days.length; at += WEEK) {
    if (days[at] === UNCOUNTED) continue;
    counted++;
    if (days[at] !== NOTHING) sent++;
  }
  return counted >= WEEKDAYS_MIN && sent >= counted * USUAL_SHARE;
}

/** How many missed days in a row are no accident. Rather one accident more than there were: the next one would be new as well. */
function enoughDays(usual: number, accidents: number): number {
  if (usual < WEEKDAYS_MIN) return MISSED_MAX + 1;
  if (accidents === 0) return usual >= USUAL_MIN ? 1 : 2;
  return Math.ceil(Math.log(ACCIDENT) / Math.log((accidents + 1.5) / (usual + 1)));
}
