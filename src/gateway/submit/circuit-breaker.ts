// The circuit of each account and family in memory: which items wait because the service is silent, and who of them may try again when it answers.
//
//   closed      the service answers                        an attempt that tells nothing, a minute after the last answer → open
//   open        items wait by their own ladders, up to     any answer → half open
//               a quarter of an hour
//   half open   each answer lets a few more go early,      none of them waits any more → closed; silence again → open
//               so that a service which has only just come back is not run down
//
// How long a circuit has been open stands in the ledger (ledger/circuit-breaker.ts), beside the pauses that a service's own refusals open.

import type { Item, ItemHead } from '#gateway/model/item.ts';

/** What fails so soon after an answer has a trouble of its own, and keeps to its waits. */
const OPEN_AFTER_MS = 60_000;
/** Items that one answer lets go. */
const LET_GO_MAX = 4;
/** The circuit of the service as a whole: a poll of any account shows that it is back. */
export const EVERYWHERE = '';

/** The name of the circuit that an item goes by. */
export function circuitOf({ accountRegNo }: Item, { family }: ItemHead): string {
  return `${accountRegNo} ${family}`;
}

interface Circuit {
  answeredMs: number;
  readonly waiting: Set<string>;
}

export class CircuitBreaker {
  readonly #now: () => number;
  readonly #circuits = new Map<string, Circuit>();
  /** In which circuits an item waits. */
  readonly #waiting = new Map<string, readonly Circuit[]>();
  /** When a document was last accepted, by circuit. */
  readonly #acceptedMs = new Map<string, number>();
  readonly #alarmed = new Set<string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Nothing was learnt from an attempt of the item, and it waits. */
  failed(name: string, item: string): void {
    const open = this.#circuitsOf(name).filter((circuit) => this.#isSilent(circuit));
    for (const circuit of open) circuit.waiting.add(item);
    if (open.length > 0) this.#waiting.set(item, open);
  }

  /** The item is tried, or waits no more. */
  tried(item: string): void {
    for (const circuit of this.#waiting.get(item) ?? []) circuit.waiting.delete(item);
    this.#waiting.delete(item);
  }

  /** The service has answered. Returns the items that may go now, longest wait first. */
  answered(name: string): string[] {
    const circuits = this.#circuitsOf(name);
    const free = [...new Set(circuits.flatMap(({ waiting }) => [...firstOf(waiting, LET_GO_MAX)]))];
    for (const item of free) this.tried(item);
    for (const circuit of circuits) circuit.answeredMs = this.#now();
    return free;
  }

  /** An attempt was answered, and its document perhaps accepted: the next alarm is a new one. */
  learnt(name: string, isAccepted: boolean): void {
    this.#alarmed.delete(name);
    if (isAccepted) this.#acceptedMs.set(name, this.#now());
  }

  hasAcceptedSince(name: string, ms: number): boolean {
    return (this.#acceptedMs.get(name) ?? 0) > ms;
  }

  /** True once, until something is learnt again: the administrator is to be told. */
  raisesAlarm(name: string): boolean {
    if (this.#alarmed.has(name)) return false;
    this.#alarmed.add(name);
    return true;
  }

  #circuitsOf(name: string): Circuit[] {
    return [...new Set([name, EVERYWHERE])].map((each) => {
      const circuit = this.#circuits.get(each) ?? { answeredMs: Number.NEGATIVE_INFINITY, waiting: new Set<string>() };
      this.#circuits.set(each, circuit);
      return circuit;
    });
  }

  /** A clock that was put back tells nothing of when. */
  #isSilent({ answeredMs }: Circuit): boolean {
    return this.#now() < answeredMs || this.#now() - answeredMs >= OPEN_AFTER_MS;
  }
}

function* firstOf(items: ReadonlySet<string>, max: number): Generator<string> {
  let left = max;
  for (const item of items) {
    if (left-- === 0) return;
    yield item;
  }
}
