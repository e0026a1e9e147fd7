// What an operator sees of nodes.
import { countHomes, type Node, readNodes } from '#gateway/ledger/nodes.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';

interface ShownNode extends Pick<Node, 'node' | 'place' | 'leftMs' | 'joinedAt'> {
  readonly state: 'lives' | 'leaves' | 'ended';
  readonly homes: number;
}

/** In the order in which they have joined. */
export async function listNodes({ read }: Pick<Ledger, 'read'>): Promise<ShownNode[]> {
  const [nodes, homes] = await Promise.all([readNodes(read), countHomes(read)]);
  return nodes.map(({ incarnation, isLeaving, ...node }) => ({
    ...node,
    state: node.leftMs < 0 ? 'ended' : isLeaving ? 'leaves' : 'lives',
    homes: homes.get(incarnation) ?? 0,
  }));
}
