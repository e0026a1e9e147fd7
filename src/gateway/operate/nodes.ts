// What an operator sees of nodes.
import { countHomes, type Node, readNodes } from '#gateway/ledger/nodes.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';

interface ShownNode extends Pick<Node, 'node' | 'place' | 'leftMs' | 'joinedAt'> {
  readonly state: 'starts' | 'lives' | 'leaves' | 'ended';
  readonly homes: number;
}

/** In the order in which they have joined. */
export async function listNodes({ read }: Pick<Ledger, 'read'>): Promise<ShownNode[]> {
  const [nodes, homes] = await Promise.all([readNodes(read), countHomes(read)]);
  return nodes.map(({ incarnation, isStarting, isLeaving, ...node }) => ({
    ...node,
    state: stateOf({ ...node, isStarting, isLeaving }),
    homes: homes.get(incarnation) ?? 0,
  }));
}

function stateOf({ leftMs, isStarting, isLeaving }: Pick<Node, 'leftMs' | 'isStarting' | 'isLeaving'>): ShownNode['state'] {
  if (leftMs < 0) return 'ended';
  if (isLeaving) return 'leaves';
  return isStarting ? 'starts' : 'lives';
}
