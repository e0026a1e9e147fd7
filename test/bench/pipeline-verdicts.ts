// What verdicts at CLOSE cost: the same loads over SSH by a login that has everything off, and by one with strict verdicts, to one daemon in turns.
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { median, p50And99, percentile, table } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { LOGIN, sellerAndBuyers } from './parties.ts';
import { CONFIG, numbering, type Size, sizeOf, speedsOf, warmedUp } from './pipeline-daemons.ts';
import { type Load, settled, timesOf, type Upload, uploadAll } from './pipeline-load.ts';
import { openSshLanes } from './pipeline-ssh.ts';
import { cpuSeconds } from './process-cost.ts';

const TURNS = 5;
const AT_ONCE = 32;
const LINES = 10;
/** What a machine does easily either way: how long CLOSE takes then is not how long others are waited for. */
const STEADY_PER_SECOND = 25;
const STRICT = 'strict';
const WANTED = { ratio: 0.8, moreMs: 5 };

interface Turn {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** A login, and what was seen of it. */
class Way {
  readonly turns: Turn[] = [];
  readonly closingMs: number[] = [];
  readonly #daemon: TestDaemon;
  readonly #lanes: readonly Upload[];

  constructor(daemon: TestDaemon, lanes: readonly Upload[]) {
    this.#daemon = daemon;
    this.#lanes = lanes;
  }

  readonly upload = (load: Load) => uploadAll(load, this.#lanes.slice(0, load.atOnce));

  async asFastAsTaken(load: Load): Promise<void> {
    const before = cpuSeconds(this.#daemon.pid);
    const uploads = await this.upload(load);
    await settled(this.#daemon, load);
    const cpuMs = ((cpuSeconds(this.#daemon.pid) - before) * 1_000) / load.documents;
    const [, , perSecond = Number.NaN] = speedsOf(timesOf(this.#daemon, load, uploads), load.documents);
    this.turns.push({ perSecond, cpuMs });
  }

  async steadily(load: Load): Promise<void> {
    this.closingMs.push(...(await this.upload(load)).closingMs);
    await settled(this.#daemon, load);
  }
}

/** That part of the pipeline by itself. */
export async function benchVerdicts({ short, print }: BenchOptions): Promise<void> {
  await using daemons = new AsyncDisposableStack();
  await reportVerdicts(daemons, sizeOf(short), print);
}

export async function reportVerdicts(daemons: AsyncDisposableStack, size: Size, print: (line: string) => void): Promise<void> {
  const { documents, buyers, warmUp } = size;
  const moreLogins = [{ login: STRICT, accountRegNo: 'seller', rules: { verdict: 'strict' as const } }];
  const daemon = daemons.use(await startDaemon({ accounts: sellerAndBuyers(buyers), moreLogins, config: CONFIG, ...AS_INSTALLED }));
  using offLanes = await openSshLanes(daemon, AT_ONCE, LOGIN);
  using strictLanes = await openSshLanes(daemon, AT_ONCE, STRICT);
  const [off, strict] = [new Way(daemon, offLanes.lanes), new Way(daemon, strictLanes.lanes)];
  const next = numbering(2 * warmUp);
  const load = (more: Partial<Load> = {}): Load => next({ documents, buyers, atOnce: AT_ONCE, lines: LINES, ...more });
  for (const [at, { upload }] of [off, strict].entries()) {
    await warmedUp({ daemon, pid: daemon.pid, upload }, { documents: warmUp, buyers, atOnce: 8, from: at * warmUp, lines: LINES });
  }
  for (let turn = 0; turn < TURNS; turn++) {
    const ways = turn % 2 === 0 ? [off, strict] : [strict, off];
    for (const way of ways) await way.asFastAsTaken(load());
    for (const way of ways) await way.steadily(load({ perSecond: STEADY_PER_SECOND, documents: Math.min(documents, 200) }));
  }
  const late = daemon.facts().filter(({ event }) => event === 'verdict.late').length;
  print(`\n  over SSH, invoices of ${LINES} lines, everything off and with strict verdicts, ${TURNS} turns each`);
  print(table([...speeds(off, strict), ...closings(off, strict), ['verdicts that came too late', String(late)]]));
  await daemon.stop();
}

type Rows = [name: string, figure: string][];

function speeds(off: Way, strict: Way): Rows {
  const shown = ({ turns }: Way): string => turns.map(({ perSecond }) => perSecond.toFixed(0)).join(', ');
  const cpu = ({ turns }: Way): string => `${median(turns.map(({ cpuMs }) => cpuMs)).toFixed(1)} ms`;
  const ratios = strict.turns.map(({ perSecond }, at) => perSecond / (off.turns[at]?.perSecond ?? Number.NaN));
  return [
    [`published a second, ${AT_ONCE} in flight, off`, shown(off)],
    [`published a second, ${AT_ONCE} in flight, strict`, shown(strict)],
    [
      `strict to off, median (wanted: at least ${WANTED.ratio})`,
      `${median(ratios).toFixed(2)} (${ratios.map((each) => each.toFixed(2)).join(', ')})`,
    ],
    ['CPU of the daemon, each, off and strict', `${cpu(off)}, ${cpu(strict)}`],
  ];
}

function closings(off: Way, strict: Way): Rows {
  const more = percentile(strict.closingMs, 99) - percentile(off.closingMs, 99);
  return [
    [`CLOSE, p50 / p99, ${STEADY_PER_SECOND} a second, off`, p50And99(off.closingMs)],
    [`CLOSE, p50 / p99, ${STEADY_PER_SECOND} a second, strict`, p50And99(strict.closingMs)],
    [`p99 of CLOSE, more by (wanted: less than ${WANTED.moreMs} ms)`, `${more.toFixed(1)} ms`],
  ];
}
