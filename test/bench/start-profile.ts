// What a start spends its processor time on, by the folders of src and by packages: Node's own profiler, which looks a thousand times a second.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDaemon } from '../support/daemon.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { sellerAndBuyers } from './parties.ts';

/** As it is written with --cpu-prof. */
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
  readonly samples: readonly number[];
}

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

const IDLE = '(idle)';

/** The first that fits; its first group is the name, where it has one. */
const GROUPS: readonly (readonly [pattern: RegExp, name?: string])[] = [
  [/node_modules\/(?:\.cache\/)?((?:@[^/]+\/)?[^/]+)/],
  [/\b(src\/[^/]+)/],
  [/^node:internal\/modules/, 'Node: finds, compiles and links modules'],
  [/^node:/, 'Node: all else'],
];
/** What V8 does that is no function of the program. */
const OUTSIDE: Readonly<Record<string, string>> = {
  '(garbage collector)': 'V8: collects garbage',
  '(program)': 'outside of JavaScript',
};

/** Samples of all threads that run JavaScript, by group, from the start of a daemon that has started before until it is ready and has stopped. */
export async function profileStart(program: string): Promise<ReadonlyMap<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-profile-'));
  try {
    const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${folder}`];
    await using daemon = await startDaemon({ accounts: sellerAndBuyers(1), program, nodeOptions, ...AS_INSTALLED });
    await daemon.stop();
    for (const file of readdirSync(folder)) rmSync(join(folder, file));
    await daemon.start();
    await daemon.stop();
    const sums = new Map<string, number>();
    for (const file of readdirSync(folder)) addProfile(JSON.parse(readFileSync(join(folder, file), 'utf8')), sums);
    return sums;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function addProfile({ nodes, samples }: Profile, sums: Map<string, number>): void {
  const maps = new Map([...new Set(nodes.map(({ callFrame }) => callFrame.url))].map((url) => [url, readMap(url)]));
  const groups = new Map(nodes.map(({ id, callFrame }) => [id, groupOf(callFrame, maps.get(callFrame.url))]));
  for (const node of samples) {
    const group = groups.get(node) ?? IDLE;
    if (group !== IDLE) sums.set(group, (sums.get(group) ?? 0) + 1);
  }
}

/** `map`: where the function is one of the bundle. */
function groupOf({ functionName, url, lineNumber, columnNumber }: Frame, map?: SourceMap): string {
  const entry = map?.findEntry(lineNumber, columnNumber);
  const place = entry && 'originalSource' in entry ? entry.originalSource : url;
  for (const [pattern, name] of GROUPS) {
    const found = pattern.exec(place);
    if (found) return name ?? found[1] ?? place;
  }
  return functionName === IDLE ? IDLE : (OUTSIDE[functionName] ?? 'native functions of Node and V8');
}

function readMap(url: string): SourceMap | undefined {
  const file = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : '';
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}
