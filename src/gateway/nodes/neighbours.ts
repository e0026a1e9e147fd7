// The other nodes, as far as rings go: who owns a home hears at once of files that are taken for it here.
import type { Bell } from '#engines/bell.ts';
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
   * An item is owed that another node is to send. A home that changes hands may still be another's than its owner's: then, as where the ring is lost, the one
   * that has it finds the ring in the ledger a second later.
   */
  ringOwner(home: string, item: string): void {
    const incarnation = this.#incarnations.get(ownerOf(home, [...this.#incarnations.keys()]) ?? '');
    if (incarnation !== undefined) this.#bell.ring(incarnation, 'submit', item);
  }
}
