// Lanes in memory, in front of the gate: of the documents of one account to one receiver, one is on its way at a time, in the order of
// arrival. The gate would tell the others to wait, too, but by a commit for each. What it knows of turns (turns.ts) stays the truth: a lane
// only spares those that would be told to wait the way to it.
import { ORDER_HOLD_MS } from '#domain/retry.ts';
import type { Item } from '#gateway/model/item.ts';

type Traveller = Pick<Item, 'item' | 'receivedAt'>;

export interface Lanes {
  /** True when the item is on its way to the gate from now on, as nobody in the lane is before it. False: it waits until it is let go. */
  enter(lane: string, item: Traveller): boolean;
  /** It is on its way: those that waited are when they are let go. */
  has(item: string): boolean;
  /**
   * The item is on its way no more; tells whom that lets go. When it has ended, the first of those that wait, once nobody else is on its
   * way. Otherwise all of them, in order: the gate has to tell each what it waits for.
   */
  leave(item: string, hasEnded: boolean): readonly string[];
}

interface Lane {
  readonly name: string;
  readonly onTheirWay: Map<string, Traveller>;
  /** In order. */
  readonly waiting: Traveller[];
}

export function openLanes(now: () => number): Lanes {
  const lanes = new Map<string, Lane>();
  /** In whose lane an item is on its way. */
  const entered = new Map<string, Lane>();

  function go(lane: Lane, item: Traveller): void {
    lane.onTheirWay.set(item.item, item);
    lanes.set(lane.name, lane);
    entered.set(item.item, lane);
  }

  /** As the gate sees it: for a while. One that came in what is the future now tells nothing of the order. */
  const holdsBack = ({ receivedAt }: Traveller): boolean => Math.abs(now() - receivedAt) < ORDER_HOLD_MS;

  return {
    enter(name, item) {
      const lane: Lane = lanes.get(name) ?? { name, onTheirWay: new Map(), waiting: [] };
      const isBefore = (other: Traveller): boolean => other.item < item.item;
      const waits = lane.waiting.some(isBefore) || [...lane.onTheirWay.values()].some((other) => isBefore(other) && holdsBack(other));
      if (waits) lane.waiting.push(item);
      else go(lane, item);
      return !waits;
    },
    has: (item) => entered.has(item),
    leave(item, hasEnded) {
      const lane = entered.get(item);
      if (!lane) return [];
      entered.delete(item);
      lane.onTheirWay.delete(item);
      const isFree = lane.onTheirWay.size === 0;
      if (isFree) lanes.delete(lane.name);
      if (!hasEnded) return lane.waiting.splice(0).map((each) => each.item);
      const next = isFree ? lane.waiting.shift() : undefined;
      if (next) go(lane, next);
      return next ? [next.item] : [];
    },
  };
}
