// `npm run bench:turns -- CHECKOUT [ITEMS]`: what a document costs here and in another checkout (another version, or this one without a piece), whose packages
// are installed. Both daemons run all the time and get the same loads one after the other, in alternating order, so that both meet what else happens on the
// machine. ITEMS were sent before, where both have the same tables.
import { resolve } from 'node:path';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { median, table } from './figures.ts';
import { fillYear } from './operator-fill.ts';
import { inside, numbering, type Running } from './pipeline-daemons.ts';
import { type Load, settled } from './pipeline-load.ts';
import { cpuSeconds } from './process-cost.ts';

const TURNS = 9;
/** Of nine values: how many standard errors their mean is off in one of twenty cases, by Student's distribution. */
const STANDARD_ERRORS = 2.306;
const LOAD = { documents: 1_500, buyers: 40, atOnce: 8 };
const SIZE = { ...LOAD, warmUp: 6_000 };

/** Milliseconds a document: of the processor, and until the last one was settled. */
interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const [checkout, items = '0'] = process.argv.slice(2);
if (checkout === undefined) throw new Error('name a checkout to compare this one with: npm run bench:turns -- CHECKOUT [ITEMS]');

await using daemons = new AsyncDisposableStack();
await inside(daemons, SIZE, { prepare }, (here, from) =>
  inside(daemons, SIZE, { prepare, checkout: resolve(checkout) }, (there) => compare(here, there, from)),
);

/** Both ledgers hold what was sent in a year. */
async function prepare({ data }: TestDaemon): Promise<void> {
  if (items === '0') return;
  const ledger = await openGatewayLedger(data);
  await fillYear(ledger, Number(items), Date.now());
  await ledger.close();
}

async function compare(here: Running, there: Running, from: number): Promise<void> {
  const next = numbering(from);
  const ratios: Cost[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const load = next(LOAD);
    const costs = new Map<Running, Cost>();
    for (const running of turn % 2 === 0 ? [here, there] : [there, here]) costs.set(running, await costOf(running, load));
    const [ours, theirs] = [costs.get(here), costs.get(there)];
    if (!ours || !theirs) return;
    print(`  turn ${turn + 1}: here ${shown(ours)}, there ${shown(theirs)}`);
    ratios.push({ cpuMs: ours.cpuMs / theirs.cpuMs, wallMs: ours.wallMs / theirs.wallMs });
  }
  const figures = { CPU: ratios.map(({ cpuMs }) => cpuMs), time: ratios.map(({ wallMs }) => wallMs) };
  print(
    table(
      Object.entries(figures).map(([what, of]) => [
        `${what} of a document, here ÷ there: median, 95 % of the mean`,
        `${median(of).toFixed(3)}, ${rangeOf(of)}`,
      ]),
    ),
  );
}

async function costOf({ daemon, pid, upload }: Running, load: Load): Promise<Cost> {
  const [cpu, began] = [cpuSeconds(pid), performance.now()];
  await upload(load);
  await settled(daemon, load);
  const [cpuMs, wallMs] = [(cpuSeconds(pid) - cpu) * 1_000, performance.now() - began];
  return { cpuMs: cpuMs / load.documents, wallMs: wallMs / load.documents };
}

function rangeOf(ratios: readonly number[]): string {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, each) => sum + each, 0) / logs.length;
  const variance = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (logs.length - 1);
  const reach = STANDARD_ERRORS * Math.sqrt(variance / logs.length);
  return `${Math.exp(mean - reach).toFixed(3)} to ${Math.exp(mean + reach).toFixed(3)}`;
}

function shown({ cpuMs, wallMs }: Cost): string {
  return `${cpuMs.toFixed(2)} ms CPU, ${wallMs.toFixed(2)} ms`;
}
