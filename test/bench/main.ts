// `npm run bench [-- name…] [--short] [--rate=N] [--record]`: runs the benches and prints their figures; --record puts them into docs/performance.md. Quote
// ratios of one run rather than figures: machines drift.
import { cpus, loadavg, release, tmpdir } from 'node:os';
import { YARDSTICK_MS, yardstickMs } from '../support/cost.ts';
import { recordedIn } from '../support/recorded.ts';
import { benchCluster } from './cluster.ts';
import { benchClusterIdle } from './cluster-idle.ts';
import { benchCore } from './core.ts';
import { measureDisk } from './disk.ts';
import { benchOperator } from './operator.ts';
import type { BenchOptions } from './options.ts';
import { benchPipeline } from './pipeline.ts';
import { benchVerdicts } from './pipeline-verdicts.ts';
import { benchRest } from './rest.ts';
import { benchRetention } from './retention.ts';
import { benchRules } from './rules.ts';
import { benchScale } from './scale.ts';
import { benchSftp } from './sftp.ts';
import { benchVerify } from './verify.ts';
import { benchWebhooks } from './webhooks.ts';

const BENCHES: Readonly<Record<string, (options: BenchOptions) => Promise<void>>> = {
  pipeline: benchPipeline,
  verdicts: benchVerdicts,
  cluster: benchCluster,
  'cluster-idle': benchClusterIdle,
  sftp: benchSftp,
  core: benchCore,
  verify: benchVerify,
  rules: benchRules,
  webhooks: benchWebhooks,
  scale: benchScale,
  rest: benchRest,
  operator: benchOperator,
  retention: benchRetention,
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const given = process.argv.slice(2);
const rate = given.find((each) => each.startsWith('--rate='))?.slice('--rate='.length);
const names = given.filter((each) => !each.startsWith('--'));
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  print(`There is no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}.`);
  process.exitCode = 64;
} else {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
  const where = `Node ${process.version}, Linux ${release()}, ${machine}, load ${loadavg()[0]?.toFixed(1)}`;
  print(where);
  const { createUs, fsyncUs } = measureDisk();
  const disk = `${tmpdir()}: a new file takes ${createUs.toFixed(0)} µs, an fsync ${fsyncUs.toFixed(0)} µs`;
  const processor = `a core takes ${(await yardstickMs()).toFixed(0)} ms for what took ${YARDSTICK_MS} ms where limits were set`;
  print(disk);
  print(processor);
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (names.length > 0 && !names.includes(name)) continue;
    print(`\n${name}`);
    const lines: string[] = [where, disk, processor];
    const keep = (line: string): void => {
      lines.push(line);
      print(line);
    };
    await bench({ short: given.includes('--short'), rate: rate === undefined ? undefined : Number(rate), print: keep });
    if (given.includes('--record'))
      recordedIn('docs/performance.md', name).replace(`\`\`\`\n${lines.join('\n').replace(/^ {2}/gm, '').trim()}\n\`\`\``);
  }
}
