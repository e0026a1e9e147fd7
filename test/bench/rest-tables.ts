// The tables of `npm run bench -- rest`: a row for each part, a column for each daemon.
import { columns, median, type Rows } from './figures.ts';
import type { FirstTime, FirstTimes } from './first-times.ts';
import type { MemoryParts, Part } from './memory-parts.ts';
import type { Heap, ThreadCost } from './threads.ts';
import type { Started } from './waiting-files.ts';

/** What was measured of a daemon while it had something to do. */
export interface Measured {
  readonly name: string;
  readonly starts: Started[];
  /** Of each start. */
  readonly firsts: FirstTimes[];
  /** Of each command, in milliseconds. */
  readonly commands: ReadonlyMap<string, number[]>;
}

export interface Rest {
  readonly name: string;
  readonly heaps: readonly Heap[];
  readonly memory: MemoryParts;
  /** By the threads' names. */
  readonly costs: ReadonlyMap<string, ThreadCost>;
}

/** What takes a smaller share of a start is told together with its like. */
const TOLD_SHARE_MIN = 0.01;
/** What the first time may take longer. */
const LONGER_MS_MAX = 150;

const FIRSTS: Readonly<Record<keyof FirstTimes, string>> = {
  login: 'login with a password',
  invoice: 'invoice, put until its receipt is there',
  order: 'order, put until its receipt is there',
  operator: "an operator's login to the page",
  page: 'page: overview',
};

const part =
  (name: Part) =>
  ({ memory }: Rest): string =>
    mib(memory.parts[name]);

/** Parts of the memory, which make up its proportional set size, and of the processor's time. */
export function restTable(rests: readonly Rest[]): string {
  const spaces = new Set(
    rests.flatMap(({ heaps }) => heaps.flatMap((heap) => takenSpaces(heap.spaces).map((space) => `${heap.name}: ${space}`))),
  );
  const threads = new Set(rests.flatMap(({ costs }) => [...costs.keys()]));
  return columns(rests, [
    ['memory, proportional set size', ({ memory }) => mib(sum(Object.values(memory.parts)))],
    [
      'were it alone: the program counted whole',
      ({ memory: { parts, filesAlone } }) => mib(sum(Object.values(parts)) - parts.files + filesAlone),
    ],
    ...[...spaces].map((space) => [`  heap of ${space}`, (rest: Rest) => spaceOf(rest, space)] as const),
    ["  malloc: SQLite's pages, buffers, OpenSSL, V8's own", part('malloc')],
    ['  mapped beside heaps: not told apart', ({ memory, heaps }) => mib(memory.parts.anonymous - sum(heaps.map(taken)))],
    ['  stacks', part('stacks')],
    ['  the program: Node and libraries, its share', part('files')],
    ["  SQLite's shared memory, its share", part('shm')],
    ['of these, in use in heaps', ({ heaps }) => mib(sum(heaps.map(({ used }) => used)))],
    ['of these, buffers of JavaScript', ({ heaps }) => mib(sum(heaps.map(({ buffers }) => buffers)))],
    ['CPU of all threads', ({ costs }) => costText(together([...costs.values()]))],
    ...[...threads].map((thread) => [`  ${thread}`, ({ costs }: Rest) => costText(costs.get(thread))] as const),
  ]);
}

export function startTable(daemons: readonly Measured[]): string {
  const commands = [...(daemons[0]?.commands.keys() ?? [])];
  return columns(daemons, [
    ['ready after', ({ starts }) => medianAndLeast(starts.map(({ ms }) => ms))],
    ['CPU until then', ({ starts }) => (median(starts.map((each) => each.cpuSeconds)) * 1_000).toFixed(0)],
    ...commands.map((command) => [command, (measured: Measured) => medianAndLeast(measured.commands.get(command) ?? [])] as const),
  ]);
}

/** `late`: of each daemon, the first invoice when the threads had ended. */
export function firstTable(daemons: readonly Measured[], late: ReadonlyMap<string, number>): string {
  const names: readonly (keyof FirstTimes)[] = ['login', 'invoice', 'order', 'operator', 'page'];
  const rows: Rows<Measured> = names.map((name) => [FIRSTS[name], ({ firsts }) => firstText(firsts.map((each) => each[name]))]);
  const longest = (measured: Measured): number =>
    Math.max(...names.map((name) => median(measured.firsts.map((each) => longer(each[name])))));
  return columns(daemons, [
    ...rows,
    ['invoice when the threads had ended, once', ({ name }) => (late.get(name) ?? Number.NaN).toFixed(0)],
    ['the most that a first one takes longer', (measured) => `${longest(measured).toFixed(0)} (wanted ≤ ${LONGER_MS_MAX})`],
  ]);
}

interface Profile {
  readonly name: string;
  /** Samples by group. */
  readonly spent: ReadonlyMap<string, number>;
}

/** In % of the samples: how many there are, a busy machine decides. */
export function profileTable(profiles: readonly Profile[]): string {
  const share = ({ spent }: Profile, group: string): number => (spent.get(group) ?? 0) / sum([...spent.values()]);
  const most = (group: string): number => Math.max(...profiles.map((profile) => share(profile, group)));
  const groups = [...new Set(profiles.flatMap(({ spent }) => [...spent.keys()]))].sort((one, other) => most(other) - most(one));
  const small = groups.filter((group) => most(group) < TOLD_SHARE_MIN);
  const percent = (profile: Profile, of: readonly string[]): string =>
    `${(sum(of.map((group) => share(profile, group))) * 100).toFixed(1)} %`;
  return columns(profiles, [
    ...groups.slice(0, groups.length - small.length).map((group) => [group, (profile: Profile) => percent(profile, [group])] as const),
    [`${small.length} others`, (profile) => percent(profile, small)],
  ]);
}

function takenSpaces(spaces: Readonly<Record<string, number>>): string[] {
  return Object.keys(spaces).filter((space) => (spaces[space] ?? 0) > 0);
}

function spaceOf({ heaps }: Rest, wanted: string): string {
  return mib(
    sum(
      heaps.map(({ name, spaces }) => sum(takenSpaces(spaces).map((space) => (`${name}: ${space}` === wanted ? (spaces[space] ?? 0) : 0)))),
    ),
  );
}

const taken = ({ spaces }: Heap): number => sum(Object.values(spaces));

function together(costs: readonly ThreadCost[]): ThreadCost {
  return { share: sum(costs.map(({ share }) => share)), wakesPerSecond: sum(costs.map(({ wakesPerSecond }) => wakesPerSecond)) };
}

function costText(cost?: ThreadCost): string {
  return cost ? `${(cost.share * 100).toFixed(3)} %, ${cost.wakesPerSecond.toFixed(1)}` : '';
}

const longer = ({ first, tenth }: FirstTime): number => first - tenth;

function firstText(times: readonly FirstTime[]): string {
  const more = times.map(longer);
  const figures = [median(times.map(({ first }) => first)), median(times.map(({ tenth }) => tenth)), median(more), Math.max(...more)];
  const [first, tenth, middle, most] = figures.map((each) => each.toFixed(0));
  return `${first}, ${tenth}, ${middle} (${most})`;
}

function medianAndLeast(values: readonly number[]): string {
  return `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)})`;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
