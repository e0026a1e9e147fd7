// Which of its like an element is among its siblings: counted once per parent, however many findings ask.
import type { XmlElement } from './tree.ts';

interface Ordinal {
  /** Among the siblings of the same name, from 0. */
  readonly index: number;
  /** How many of the name there are. */
  readonly count: number;
}

interface Counted {
  readonly indexes: ReadonlyMap<XmlElement, number>;
  readonly counts: ReadonlyMap<string, number>;
}

const counted = new WeakMap<XmlElement, Counted>();

export function ordinalOf(element: XmlElement): Ordinal {
  const { parent, tag } = element;
  if (!parent) return { index: 0, count: 1 };
  let known = counted.get(parent);
  if (!known) {
    known = countedChildren(parent);
    counted.set(parent, known);
  }
  return { index: known.indexes.get(element) ?? 0, count: known.counts.get(tag) ?? 1 };
}

function countedChildren({ children }: XmlElement): Counted {
  const counts = new Map<string, number>();
  const indexes = new Map<XmlElement, number>();
  for (const child of children) {
    const index = counts.get(child.tag) ?? 0;
    indexes.set(child, index);
    counts.set(child.tag, index + 1);
  }
  return { indexes, counts };
}
