// How src is built: no circles between folders, types counted, and inside gateway/ and core/ only imports that their floors allow (src/README.md).
// Between the floors of src itself the linter stands (biome.json). And what tests know of a ledger.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');
const TEST = join(import.meta.dirname, '..');

/** The folders of a part and the files beside them, from the lowest floor to the highest: each imports from lower ones. */
const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  gateway: [
    ['model'],
    ['ledger', 'disk', 'archive', 'reader', 'service'],
    ['accounts', 'nodes', 'sftp', 'watch', 'spool', 'submit', 'publish', 'receive', 'follow', 'retention'],
    ['operate', 'alarms', 'answers'],
    ['options.ts'],
    ['base.ts', 'queue-in-hand.ts'],
    ['front.ts', 'hints.ts', 'rings.ts', 'work.ts'],
    ['gateway.ts'],
  ],
  core: [
    ['model'],
    ['ledger'],
    ['access', 'examination', 'events'],
    ['transactions'],
    ['network', 'webhooks', 'enrichment'],
    ['api', 'operate'],
    ['core.ts'],
    ['thread'],
  ],
};

/** And from these of its own floor. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'gateway/service': ['ledger'],
  'gateway/sftp': ['accounts'],
  'gateway/spool': ['publish'],
  'gateway/submit': ['publish'],
  'gateway/receive': ['publish'],
  'gateway/follow': ['publish'],
  'gateway/answers': ['operate'],
};

/** In which folder of a part queries are built. */
const QUERIES = /^(?:engines|[^/]+\/ledger)\//;

/** Folders that put together what stands in folders of their own, which know some of their files. */
const WIRING: readonly string[] = ['cli', 'core/api', 'engines', 'rules/billing', 'rules/pint', 'ubl'];

interface Import {
  /** Both below src, as `gateway/spool/inbox.ts`; packages as they are named. */
  readonly from: string;
  readonly to: string;
  /** The file is loaded with the one that imports it: it is no import of types alone, and none that is made when it is needed. */
  readonly isLoaded: boolean;
}

const TYPES_ALONE = /^(?:import|export) (?:type\b|\{(?:\s*type [^,}]+,?)+\s*\})/;
const IMPORT = /^(?:import|export)\b[^;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

const EXPORT = /^export (?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) ([\w$]+)/gm;

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports: readonly Import[] = files.flatMap((from) =>
  [...readFileSync(join(SRC, from), 'utf8').matchAll(IMPORT)].map(([statement, named, bare, late]) => ({
    from,
    to: resolved(from, named ?? bare ?? late ?? ''),
    isLoaded: late === undefined && !TYPES_ALONE.test(statement),
  })),
);

function resolved(from: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier;
}

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

/** Where a file of a part with floors stands; floor -1 where the table does not name it. */
function placeIn(file: string): { readonly part: string; readonly folder: string; readonly floor: number } | undefined {
  const [part = '', folder = ''] = file.split('/');
  const floors = FLOORS[part];
  return floors && { part, folder, floor: floors.findIndex((folders) => folders.includes(folder)) };
}

function isAllowed({ from, to }: Import): boolean {
  const [upper, lower] = [placeIn(from), placeIn(to)];
  if (!upper || upper.part !== lower?.part || upper.folder === lower.folder) return true;
  return lower.floor < upper.floor || (BESIDE[`${upper.part}/${upper.folder}`] ?? []).includes(lower.folder);
}

const shown = ({ from, to }: Import): string => `${from} imports ${to}`;

/** Which folder imports from which, but for what these import from folders of their own. */
function foldersWithout(wiring: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of imports.filter(({ to }) => to.endsWith('.ts'))) {
    const [upper, lower] = [dirname(from), dirname(to)];
    const isWired = wiring.includes(upper) && lower.startsWith(`${upper}/`);
    if (upper !== lower && !isWired) graph.set(upper, (graph.get(upper) ?? new Set()).add(lower));
  }
  return graph;
}

/** By file: every word by which a file of src or test may name what it exports. */
function importedNames(): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const from of [...sourcesBelow(SRC), ...sourcesBelow(TEST)]) {
    const text = readFileSync(join(SRC, from), 'utf8');
    for (const [statement, named, bare, late] of text.matchAll(IMPORT)) {
      const to = resolved(from, named ?? bare ?? late ?? '');
      const isWhole = late !== undefined || statement.includes('* as ');
      const known = names.get(to) ?? new Set();
      for (const [word] of (isWhole ? text : statement).matchAll(/[\w$]+/g)) known.add(word);
      names.set(to, known);
    }
  }
  return names;
}

/** Relative to src, of programs as well. */
function sourcesBelow(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.[cm]?ts$|\.[cm]js$/.test(file));
  return found.map((file) => relative(SRC, join(folder, file)));
}

describe('what a file exports', () => {
  it('is imported by another file of src or test', () => {
    const names = importedNames();
    const exported = files.flatMap((file) =>
      [...readFileSync(join(SRC, file), 'utf8').matchAll(EXPORT)].map(([, name = '']) => ({ file, name })),
    );
    expect(exported.length).toBeGreaterThan(1_000);
    expect(exported.filter(({ file, name }) => !names.get(file)?.has(name))).toEqual([]);
  });
});

describe('folders of src', () => {
  it('import each other in no circle, types counted', () => {
    expect(circleIn(foldersWithout(WIRING))).toBeUndefined();
  });

  it.each(WIRING)('are in a circle with %s, which is why the list names it', (folder) => {
    expect(circleIn(foldersWithout(WIRING.filter((each) => each !== folder)))).toContain(folder);
  });
});

/** All that is loaded with a file, packages as they are named. */
function loadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set([entry]);
  for (const file of loaded) for (const { from, to, isLoaded } of imports) if (isLoaded && from === file) loaded.add(to);
  return loaded;
}

describe('a daemon that rests', () => {
  // Each thread holds what it has loaded: rules take 10 MiB, a client of HTTP 5.
  it.each(['cli/serve.ts', 'cli/daemon.ts', 'core/thread/worker.ts'])(
    'has loaded with %s no rules, and nothing that only some installations need',
    (entry) => {
      const loaded = loadedWith(entry);
      expect(loaded.size).toBeGreaterThan(150);
      const seldom = [
        'rules/rule-sets.ts',
        'rules/validate.ts',
        'rules/engine/engine.ts',
        'undici',
        'pg',
        'bullmq',
        'ioredis',
        'nodemailer',
      ];
      expect(seldom.filter((each) => loaded.has(each))).toEqual([]);
    },
  );

  it('loads rules in the threads that judge', () => {
    for (const entry of ['core/examination/examiner-worker.ts', 'gateway/reader/worker.ts'])
      expect(loadedWith(entry)).toContain('rules/rule-sets.ts');
  });
});

describe('gateway and core', () => {
  it('have no folder without a floor', () => {
    expect(files.filter((file) => placeIn(file)?.floor === -1)).toEqual([]);
  });

  it('import from lower floors, and of their own only what the table names', () => {
    expect(imports.filter((each) => !isAllowed(each)).map(shown)).toEqual([]);
  });

  it('build queries in their ledgers only', () => {
    const isQuery = (to: string): boolean => to === 'kysely' || to === 'engines/prepared.ts';
    expect(imports.filter(({ from, to }) => isQuery(to) && !QUERIES.test(from)).map(shown)).toEqual([]);
  });

  it('have a pure model on the lowest floor of the gateway', () => {
    const isPure = (to: string): boolean =>
      /^(?:domain|contract|gateway\/model|typebox)(?:\/|$)/.test(to) || ['node:buffer', 'runtime/networks.ts'].includes(to);
    expect(imports.filter(({ from, to }) => from.startsWith('gateway/model/') && !isPure(to)).map(shown)).toEqual([]);
  });
});

describe('tests', () => {
  /** Of an engine; of a refused schema; what a crash of SQLite leaves; and the two that others call instead. */
  const QUERYING = [
    /^(?:unit\/)?engines\//,
    /^flow\/cli\/earlier-ledgers\./,
    /^crash\/write-ahead-log\./,
    /^support\/world\/ledger-(?:rows|files)\./,
  ];

  it('know no table, no column and no file of a ledger: they ask what users ask, or the ledger’s own functions', () => {
    const query = /\b(?:selectFrom|insertInto|updateTable|deleteFrom|DatabaseSync|node:sqlite)\b/;
    const tests = readdirSync(TEST, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const querying = tests.filter(
      (file) => !QUERYING.some((each) => each.test(file)) && query.test(readFileSync(join(TEST, file), 'utf8')),
    );
    expect(querying).toEqual(['unit/structure.test.ts']);
  });
});
