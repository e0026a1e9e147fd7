// The list of an invoice's way in src/README.md names what is there, and is made of what was recorded (test/way).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { recordedIn } from '../support/recorded.ts';
import { files, SRC } from '../support/source-imports.ts';
import { commonHops, keyOf } from '../way/hops.ts';
import { instrumented } from '../way/instrument.ts';
import { listingOf, placesIn } from '../way/listing.ts';
import type { Step } from '../way/runs.ts';

const namesIn = (file: string): string[] => instrumented(file, readFileSync(join(SRC, file), 'utf8'), 0).functions.map(({ name }) => name);

const step = (file: string, name: string, by: Step | null = null): Step => ({ file, name, isNamed: true, by });

describe('The list of the way of an invoice', () => {
  it('names functions that are there; if not: npm run way', () => {
    const places = placesIn(recordedIn('src/README.md', 'way').text);
    expect(places.length).toBeGreaterThan(50);
    expect(places.filter(({ file, name }) => !files.includes(file) || !namesIn(file).includes(name))).toEqual([]);
  });

  it('has each call between two files once, in the stage in which it is made, and no call that only one invoice saw', () => {
    const write = step('gateway/sftp/upload.ts', 'write');
    const sync = step('gateway/disk/files.ts', 'sync', write);
    const enlist = step('gateway/submit/submit.ts', 'enlist', write);
    const close = step('gateway/sftp/handles.ts', 'close', write);
    const timer = step('gateway/watch/rounds.ts', 'look');
    const inner = step('gateway/disk/files.ts', 'open', sync);
    const hops = commonHops([
      [write, timer, sync, sync, inner, enlist, close],
      [write, sync, sync, inner, enlist, close],
    ]);
    expect(hops.map((hop) => `${hop.stage} ${keyOf(hop)}`)).toEqual([
      '0 outside → gateway/sftp/upload.ts: write',
      '0 gateway/sftp/upload.ts: write → gateway/disk/files.ts: sync',
      '1 gateway/sftp/upload.ts: write → gateway/submit/submit.ts: enlist',
      '0 gateway/sftp/upload.ts: write → gateway/sftp/handles.ts: close',
    ]);
    expect(placesIn(listingOf(hops))).toMatchObject([write, sync, close, enlist].map(({ file, name }) => ({ file, name })));
  });
});

const SOURCE = `
const twice = (n) => n * 2;
const later = async (n) => ({ n: await twice(n) });
class Base { constructor(n) { this.n = n; } }
class Counter extends Base {
  #step = (by) => { this.n += by; return this; };
  constructor() { super(1); }
  get size() { return this.n; }
  *upTo(max) { while (this.n < max) { yield this.n; this.#step(1); } }
  async sum(...more) { let sum = 0; for (const n of [...this.upTo(3), ...more]) sum += (await later(n)).n; return [sum, this.size]; }
}
export const counted = () => new Counter().sum(10, 20);
`;

describe('An instrumented source', () => {
  afterEach(() => void Reflect.deleteProperty(globalThis, '__way'));

  it('does what it did before, and tells its calls', async () => {
    const { text, functions } = instrumented('source.js', SOURCE, 0);
    const calls: (string | undefined)[] = [];
    const way = (number: number, body?: () => unknown): unknown => {
      calls.push(functions[number]?.name);
      return body?.();
    };
    Object.assign(globalThis, { __way: way });
    const { counted } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    expect(await counted()).toEqual([66, 3]);
    expect(calls.slice(0, 7)).toEqual(['counted', 'Counter', 'Base', 'sum', 'upTo', 'step', 'step']);
  });
});
