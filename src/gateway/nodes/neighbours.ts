// The other nodes, as far as rings go: who owns a home hears at once of files that are taken for it here, and of hints for its accounts.
import type { Bell } from '#engines/bell.ts';
import type { Topic } from '#engines/queue.ts';
import type { Node } from '#gateway/ledger/nodes.ts';
import { ownerOf } from './rendezvous.ts';

export class Neighbours {
  readonly #bell: Pick<Bell, 'ring'>;
  /** Incarnations by the names of nodes. */
  #incarnations: ReadonlyMap<string, string> = new Map();

  constructor(bell: Pick<Bell, 'ring'>) {
    this.#bell = bell;
  }

  /** These are the nodes that owners are computed of now. */
  know(nodes: readonly Pick<Node, 'node' | 'incarnation'>[]): void {
    this.#incarnations = new Map(nodes.map(({ node, incarnation }) => [node, incarnation]));
  }

  /**
   * There is work on a home of another node. A home that changes hands may still be another's than its owner's: then, as where the ring is lost, the one
   * that has it finds an item's ring in the ledger a second later, and other work when it looks by itself.
   */
  ringOwner(home: string, topic: Topic, id: string): void {
    const incarnation = this.#incarnations.get(ownerOf(home, [...this.#incarnations.keys()]) ?? '');
    if (incarnation !== undefined) this.#bell.ring(incarnation, topic, id);
  }
}
