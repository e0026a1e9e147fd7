// How src is built: no circles between folders, types counted, and inside the gateway only imports that its floors allow (src/README.md).
// Between the floors of src itself the linter stands (biome.json).
import { dirname, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { files, type Import, imports } from '../support/source-imports.ts';

/** From the lowest to the highest: a folder imports from lower ones. */
const GATEWAY_FLOORS = [
  ['model'],
  ['ledger', 'disk', 'reader', 'service'],
  ['accounts', 'sftp', 'watch', 'spool', 'submit', 'publish', 'receive', 'follow'],
  ['operate'],
] as const;

/** And from these of its own floor. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  service: ['ledger'],
  sftp: ['accounts'],
  spool: ['publish'],
  submit: ['publish'],
  receive: ['publish'],
  follow: ['publish'],
};

/** The circle that begins and ends at the first of its folders; undefined when there is none. */
function circleIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  function walk(folder: string, path: readonly string[]): string[] | undefined {
    if (path.includes(folder)) return [...path.slice(path.indexOf(folder)), folder];
    if (done.has(folder)) return undefined;
    for (const next of graph.get(folder) ?? []) {
      const circle = walk(next, [...path, folder]);
      if (circle) return circle;
    }
    done.add(folder);
    return undefined;
  }
  for (const folder of graph.keys()) {
    const circle = walk(folder, []);
    if (circle) return circle;
  }
  return undefined;
}

/** The floor of a file in the gateway's folders, and the folder. */
function placeIn(file: string): { readonly folder: string; readonly floor: number } | undefined {
  const [part, folder = '', ...below] = file.split('/');
  if (part !== 'gateway' || below.length === 0) return undefined;
  return { folder, floor: GATEWAY_FLOORS.findIndex((folders) => folders.some((each) => each === folder)) };
}

function isAllowed({ from, to }: Import): boolean {
  const [upper, lower] = [placeIn(from), placeIn(to)];
  if (!upper || !to.startsWith('gateway/') || upper.folder === lower?.folder) return true;
  return lower !== undefined && (lower.floor < upper.floor || (BESIDE[upper.folder] ?? []).includes(lower.folder));
}

const shown = ({ from, to }: Import): string => `${from} imports ${to}`;

describe('folders of src', () => {
  it('import each other in no circle, types counted', () => {
    const graph = new Map<string, Set<string>>();
    for (const { from, to } of imports.filter(({ to }) => to.endsWith('.ts'))) {
      const [upper, lower] = [dirname(from), dirname(to)];
      const isWithin = !relative(upper, lower).startsWith('..') || !relative(lower, upper).startsWith('..');
      if (!isWithin) graph.set(upper, (graph.get(upper) ?? new Set()).add(lower));
    }
    expect(circleIn(graph)).toBeUndefined();
  });
});

describe('the gateway', () => {
  it('has no folder without a floor', () => {
    expect(files.filter((file) => placeIn(file)?.floor === -1)).toEqual([]);
  });

  it('imports from lower floors, and of its own only what the table names', () => {
    expect(imports.filter((each) => !isAllowed(each)).map(shown)).toEqual([]);
  });

  it('has a pure model', () => {
    const isPure = (to: string): boolean =>
      /^(?:domain|contract|gateway\/model|typebox)(?:\/|$)/.test(to) || ['node:buffer', 'runtime/networks.ts'].includes(to);
    expect(imports.filter(({ from, to }) => from.startsWith('gateway/model/') && !isPure(to)).map(shown)).toEqual([]);
  });

  it('builds queries in its ledger only', () => {
    const isQuery = (to: string): boolean => to === 'kysely' || to === 'engines/prepared.ts';
    const isOutside = ({ from, to }: Import): boolean => placeIn(from) !== undefined && placeIn(from)?.folder !== 'ledger' && isQuery(to);
    expect(imports.filter(isOutside).map(shown)).toEqual([]);
  });
});
