// What a home still shows of items whose end the ledger has forgotten: originals and receipts, by the eight letters in their names.
import { shortId } from '#domain/id.ts';
import { namesIn } from '#gateway/disk/paths.ts';
import type { Item, ItemState } from '#gateway/model/item.ts';

export interface Trace {
  readonly state: Exclude<ItemState, 'pending' | 'held'>;
  /** Below the home. */
  readonly file: string;
}

/** The state that the stage of a receipt shows. A receipt on the way shows none. */
const STAGES: Readonly<Record<string, Trace['state']>> = {
  accepted: 'accepted',
  duplicate: 'accepted',
  sent: 'accepted',
  delivered: 'accepted',
  rejected: 'accepted',
  failed: 'accepted',
  cancelled: 'cancelled',
  refused: 'refused',
};

/** Reads each home once. */
export function openTraces(data: string): (item: Pick<Item, 'item' | 'home'>) => Trace | undefined {
  const homes = new Map<string, ReadonlyMap<string, Trace>>();
  return ({ item, home }) => {
    const traces = homes.get(home) ?? readTraces(data, home);
    homes.set(home, traces);
    return traces.get(shortId(item));
  };
}

/** By short id. A receipt says more than the folder of an original. */
function readTraces(data: string, home: string): Map<string, Trace> {
  const traces = new Map<string, Trace>();
  for (const state of ['refused', 'accepted'] as const) {
    for (const name of namesIn(data, home, state)) {
      for (const part of name.split('.').slice(-2)) traces.set(part, { state, file: `${state}/${name}` });
    }
  }
  for (const name of namesIn(data, home, 'receipts')) {
    const [short = '', stage = ''] = name.split('.').slice(-3);
    const state = Object.hasOwn(STAGES, stage) ? STAGES[stage] : undefined;
    if (state) traces.set(short, { state, file: `receipts/${name}` });
  }
  return traces;
}
