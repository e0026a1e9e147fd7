// Long lists in parts: a statement, a commit or a turn of the event loop takes only so much.

/** All in their order, at most so many in each group. */
export function inGroups<Each>(all: readonly Each[], max: number): Each[][] {
  return Array.from({ length: Math.ceil(all.length / max) }, (_, at) => all.slice(at * max, (at + 1) * max));
}
