// `npm run bench [-- name…] [--short]`: runs the benches and prints their figures. Quote ratios of one run rather than figures:
// machines drift.
import { cpus, loadavg, release, tmpdir } from 'node:os';
import { benchCore } from './core.ts';
import { measureDisk } from './disk.ts';
import { benchPipeline } from './pipeline.ts';
import { benchUpload } from './upload.ts';

export interface BenchOptions {
  /** Fewer and smaller documents, to see that the bench itself works. */
  readonly short: boolean;
  readonly print: (line: string) => void;
}

const BENCHES: Readonly<Record<string, (options: BenchOptions) => Promise<void>>> = {
  pipeline: benchPipeline,
  upload: benchUpload,
  core: benchCore,
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const given = process.argv.slice(2);
const names = given.filter((each) => !each.startsWith('--'));
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  print(`There is no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}.`);
  process.exitCode = 64;
} else {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
  print(`Node ${process.version}, Linux ${release()}, ${machine}, load ${loadavg()[0]?.toFixed(1)}`);
  const { createUs, fsyncUs } = measureDisk();
  print(`${tmpdir()}: a new file takes ${createUs.toFixed(0)} µs, an fsync ${fsyncUs.toFixed(0)} µs`);
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (names.length > 0 && !names.includes(name)) continue;
    print(`\n${name}`);
    await bench({ short: given.includes('--short'), print });
  }
}
