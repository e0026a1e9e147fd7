// What the memory of a process is made of, as far as its mappings tell (/proc/PID/smaps).
import { readdirSync, readFileSync } from 'node:fs';

/** Bytes of a mapping: its share of what several processes have in memory, and all that is in memory of it. */
interface Mapping {
  readonly start: number;
  readonly end: number;
  readonly mode: string;
  readonly path: string;
  readonly shareBytes: number;
  readonly wholeBytes: number;
}

interface Around {
  /** Where the threads are on their stacks. */
  readonly pointers: readonly number[];
  readonly next: Mapping | undefined;
}

/** glibc reserves so much for each place of a thread from which it allocates, and begins each at a multiple of it. */
const ARENA_BYTES = 64 * 2 ** 20;
const NO_ACCESS = '---p';

export type Part = 'shm' | 'files' | 'stacks' | 'malloc' | 'anonymous';

/** The first that fits. */
const PARTS: readonly (readonly [part: Part, fits: (mapping: Mapping, around: Around) => boolean])[] = [
  ['shm', ({ path }) => path.endsWith('-shm')],
  ['files', ({ path }) => path.startsWith('/')],
  ['stacks', ({ path, start, end }, { pointers }) => path === '[stack]' || pointers.some((each) => start <= each && each < end)],
  ['malloc', ({ path }) => path === '[heap]'],
  [
    'malloc',
    ({ start, end }, { next }) =>
      start % ARENA_BYTES === 0 && next?.mode === NO_ACCESS && next.end === start + ARENA_BYTES && next.start === end,
  ],
];

export interface MemoryParts {
  /** Of each part what counts for this process, in bytes; together its proportional set size. */
  readonly parts: Readonly<Record<Part, number>>;
  /** Of the program and its libraries all that is in memory: what they take where this process alone has them. */
  readonly filesAlone: number;
}

export function memoryPartsOf(pid: number): MemoryParts {
  const mappings = readMappings(pid);
  const pointers = stackPointers(pid);
  const parts: Record<Part, number> = { shm: 0, files: 0, stacks: 0, malloc: 0, anonymous: 0 };
  let filesAlone = 0;
  for (const [at, mapping] of mappings.entries()) {
    const part = partOf(mapping, { pointers, next: mappings[at + 1] });
    parts[part] += mapping.shareBytes;
    if (part === 'files') filesAlone += mapping.wholeBytes;
  }
  return { parts, filesAlone };
}

function partOf(mapping: Mapping, around: Around): Part {
  return PARTS.find(([, fits]) => fits(mapping, around))?.[0] ?? 'anonymous';
}

function readMappings(pid: number): Mapping[] {
  const text = readFileSync(`/proc/${pid}/smaps`, 'utf8');
  const heads = [...text.matchAll(/^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ *(.*)$/gm)];
  return heads.map(({ index, 1: start = '', 2: end = '', 3: mode = '', 4: path = '' }, at) => {
    const facts = text.slice(index, heads[at + 1]?.index);
    const bytes = (name: string): number => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(facts)?.[1] ?? 0) * 1_024;
    return {
      start: Number.parseInt(start, 16),
      end: Number.parseInt(end, 16),
      mode,
      path,
      shareBytes: bytes('Pss'),
      wholeBytes: bytes('Rss'),
    };
  });
}

/** Of all threads that wait: a system call's last two figures are where the stack and the program are (proc(5)). */
function stackPointers(pid: number): number[] {
  const calls = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'utf8'));
  return calls.flatMap((call) => {
    const pointer = Number(call.trim().split(' ').at(-2));
    return Number.isNaN(pointer) ? [] : [pointer];
  });
}
