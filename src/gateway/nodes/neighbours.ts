// The other nodes, as far as rings go: who owns a home hears at once of files that are taken for it here, and of hints for its accounts.
import type { Bell } from '#engines/bell.ts';
import type { Topic } from '#engines/queue.ts';
import type { Node } from '#gateway/ledger/nodes.ts';
import { ownerOf } from './rendezvous.ts';

export class Neighbours {
  readonly #bell: Pick<Bell, 'ring'>;
  readonly #incarnation: string;
  /** Incarnations by the names of nodes. */
  #incarnations: ReadonlyMap<string, string> = new Map();

  /** `incarnation`: of this node. */
  constructor(bell: Pick<Bell, 'ring'>, incarnation: string) {
    this.#bell = bell;
    this.#incarnation = incarnation;
  }

  /** These are the nodes that owners are computed of now. */
  know(nodes: readonly Pick<Node, 'node' | 'incarnation'>[]): void {
    this.#incarnations = new Map(nodes.map(({ node, incarnation }) => [node, incarnation]));
  }

  /**
   * There is work on a home that is not in hand here: tells its owner. False where that is this node, which is about to take it up, or nobody. A home
   * that changes hands may still be another's than its owner's: then, as where the ring is lost, the one that has it finds an item's ring in the ledger a
   * second later, and other work when it looks by itself.
   */
  ringOwner(home: string, topic: Topic, id: string): boolean {
    const incarnation = this.#incarnations.get(ownerOf(home, [...this.#incarnations.keys()]) ?? '');
    if (incarnation === undefined || incarnation === this.#incarnation) return false;
    this.#bell.ring(incarnation, topic, id);
    return true;
  }
}
