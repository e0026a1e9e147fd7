// What is counted of a way, and which of its hops lead back up.
import { imports } from '../support/source-imports.ts';
import { type Hop, STAGES } from './hops.ts';

export interface Counts {
  readonly hops: number;
  /** How often the list goes on in another folder. */
  readonly changes: number;
  /** Hops into a folder that imports the folder of the caller, directly or by others: of these the files of the callers import what they call, … */
  readonly up: readonly Hop[];
  /** … and these call a function that was handed down to them. */
  readonly handed: readonly Hop[];
}

/** A file of the list, at the place where the way enters it first in that stage, with its functions in the order in which they are called. */
export interface Entered {
  readonly folder: string;
  readonly file: string;
  readonly names: readonly string[];
}

export function countsOf(hops: readonly Hop[]): Counts {
  const folders = STAGES.flatMap((_stage, at) => enteredIn(hops, at)).map(({ folder }) => folder);
  const back = hops.filter(leadsUp);
  return {
    hops: hops.length,
    changes: folders.filter((folder, at) => at > 0 && folder !== folders[at - 1]).length,
    up: back.filter(isImported),
    handed: back.filter((hop) => !isImported(hop)),
  };
}

export function enteredIn(hops: readonly Hop[], stage: number): readonly Entered[] {
  const files = Map.groupBy(
    hops.filter((hop) => hop.stage === stage),
    ({ to }) => to.file,
  );
  return [...files].map(([file, into]) => ({ folder: folderOf(file), file, names: [...new Set(into.map(({ to }) => to.name))] }));
}

/** A folder is one of gateway/ or core/; what lies in folders below it counts as its own. */
function folderOf(file: string): string {
  return file.split('/').slice(0, -1).slice(0, 2).join('/');
}

const direct = new Map<string, Set<string>>();
for (const { from, to } of imports.filter((each) => each.to.endsWith('.ts')))
  direct.set(folderOf(from), (direct.get(folderOf(from)) ?? new Set()).add(folderOf(to)));

function reachedFrom(folder: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const next = [folder];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    for (const below of direct.get(at) ?? []) {
      if (reached.has(below)) continue;
      reached.add(below);
      next.push(below);
    }
  }
  return reached;
}

function leadsUp({ from, to }: Hop): boolean {
  if (!from) return false;
  const [caller, called] = [folderOf(from.file), folderOf(to.file)];
  return caller !== called && reachedFrom(called).has(caller);
}

function isImported({ from, to }: Hop): boolean {
  return imports.some((each) => each.from === from?.file && each.to === to.file);
}
