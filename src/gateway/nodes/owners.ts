// Who does the work on which home: each node takes what is free and its own by the hashes of their names, and gives up, after a time of calm, what is another's.
import { inGroups } from '#domain/groups.ts';
import { pipelined } from '#engines/pipelined.ts';
import { markLeaving, markStarted, type Node, readFree, readNodes } from '#gateway/ledger/nodes.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { forEachLimit } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';
import { endLapsed, isLapsed, type NodeSettings } from './join.ts';
import type { Neighbours } from './neighbours.ts';
import { ownerOf } from './rendezvous.ts';

const LOOK_MS_MAX = 2_000;
const LOOKS = 10;
/** Homes that are given up at the same time: each waits for what runs for it. */
const AT_ONCE = 8;
/** Homes that are taken up together. */
const GROUP = 100;

interface OwnersParts {
  readonly settings: NodeSettings;
  readonly incarnation: string;
  readonly ledger: Ledger;
  readonly inHand: Pick<HomesInHand, 'all' | 'has'>;
  /** Told of the nodes; there are none where nobody can be rung. */
  readonly neighbours?: Pick<Neighbours, 'know'> | null | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** All of them, or none. */
  takeUp(homes: readonly string[]): Promise<void>;
  giveUp(home: string): Promise<void>;
  /** Clears the row that says that this process has the home in hand, where it does not. */
  settle(home: string): Promise<void>;
  /** A node was ended here: what it has left unfinished is anybody's. */
  ended(): Promise<void>;
  /** A node has gone, whichever ended it: its last files may lie in homes that are in hand here. */
  gone(): Promise<void>;
}

export class Owners implements AsyncDisposable {
  readonly #parts: OwnersParts;
  readonly #timer: Disposable;
  #looking: Promise<void> = Promise.resolve();
  /** The names that owners are computed of, and since when they are the same. */
  #names: readonly string[] = [];
  #calmSince = 0;
  /** Homes of which all were found to be ours by `#names`; while nothing changes, the owners of thousands of homes need not be computed every second. */
  #allOurs: readonly string[] | null = null;
  #incarnations: ReadonlySet<string> = new Set();
  /** What is to be done for nodes that were ended here, and for those that have gone. */
  readonly #owed = new Set<'ended' | 'gone'>();
  /** Homes whose move broke off: by their rows they may be in hand here though they are not, and nobody would take them. */
  readonly #unsettled = new Set<string>();
  /** Beside the looks: each home waits for what runs for it, perhaps a slow request, and nothing else is to wait for that. */
  #givingUp: Promise<void> | null = null;
  #isLeaving = false;

  /** Others give this node homes from now on. */
  static async start(parts: OwnersParts): Promise<Owners> {
    await parts.ledger.write([], (rows) => markStarted(rows, parts.incarnation));
    return new Owners(parts);
  }

  private constructor(parts: OwnersParts) {
    this.#parts = parts;
    const { clock, log, settings } = parts;
    const failed = (error: unknown): void => log.error({ event: 'node.homes-not-looked-at', err: error });
    this.#timer = every(clock, Math.min(LOOK_MS_MAX, settings.leaseMs / LOOKS), () => this.look(), failed);
  }

  /** Looks at nodes and homes now, and lets homes change hands. */
  look(): Promise<void> {
    const looking = this.#looking.then(() => this.#look());
    this.#looking = looking.catch(() => undefined);
    return looking;
  }

  /** Gives all homes up where another node is there to take them, until `cut` fires. What is left then is free when this process has ended. */
  async leave(cut?: AbortSignal): Promise<void> {
    const { ledger, incarnation, log } = this.#parts;
    this.#isLeaving = true;
    await this.#looking;
    await ledger.write([], (rows) => markLeaving(rows, incarnation));
    const others = (await readNodes(ledger.read)).filter((each) => each.incarnation !== incarnation && isCounted(each));
    const homes = this.#inHand();
    if (others.length === 0 || homes.length === 0) return;
    await this.#giveUp(homes, cut);
    log.info({ event: 'node.left', homes: homes.length });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isLeaving = true;
    this.#timer[Symbol.dispose]();
    await this.#looking;
    await this.#givingUp;
  }

  async #look(): Promise<void> {
    if (this.#isLeaving) return;
    await this.#settle();
    const { settings, ledger, clock, incarnation } = this.#parts;
    const [nodes, free] = await pipelined(readNodes(ledger.read), readFree(ledger.read));
    // Before: of two the second may not be ended now.
    if (nodes.some((each) => isLapsed(each, incarnation))) this.#owed.add('ended');
    const isOneEnded = await endLapsed(this.#parts, nodes);
    const incarnations = new Set(nodes.map(({ incarnation }) => incarnation));
    if ([...this.#incarnations].some((each) => !incarnations.has(each))) this.#owed.add('gone');
    this.#incarnations = incarnations;
    // Before its homes are in hand, so that the uploads that it has left are in sight.
    const unpaid = await this.#pay();
    const counted = nodes.filter(isCounted);
    this.#parts.neighbours?.know(counted);
    const names = counted.map(({ node }) => node);
    const now = clock.now();
    // A clock that was put back must not keep homes where they are.
    if (String(names) !== String(this.#names) || now < this.#calmSince) {
      this.#calmSince = now;
      this.#allOurs = null;
    }
    this.#names = names;
    const isOurs = (home: string): boolean => ownerOf(home, names) === settings.name;
    await this.#takeUp((isOneEnded ? await readFree(ledger.read) : free).filter(isOurs));
    if (now - this.#calmSince >= settings.calmMs) this.#giveUpOthers(isOurs);
    if (unpaid !== undefined) throw unpaid;
  }

  /** Resolves with what kept it from that, such as a folder that cannot be read. Homes are taken up all the same, and it is tried again at the next look. */
  async #pay(): Promise<unknown> {
    let failure: unknown;
    for (const each of this.#owed) {
      try {
        await this.#parts[each]();
        this.#owed.delete(each);
      } catch (error) {
        failure ??= error;
      }
    }
    return failure;
  }

  #giveUpOthers(isOurs: (home: string) => boolean): void {
    const homes = this.#inHand();
    if (this.#givingUp || homes === this.#allOurs) return;
    const others = homes.filter((home) => !isOurs(home));
    if (others.length === 0) this.#allOurs = homes;
    else
      this.#givingUp = this.#giveUp(others).finally(() => {
        this.#givingUp = null;
      });
  }

  async #settle(): Promise<void> {
    const { inHand, settle } = this.#parts;
    for (const home of this.#unsettled) {
      if (!inHand.has(home)) await settle(home);
      this.#unsettled.delete(home);
    }
  }

  #inHand(): readonly string[] {
    const { all } = this.#parts.inHand;
    return 'only' in all ? all.only : [];
  }

  /** In groups; where one fails its homes are taken up one by one, so that none holds up the others. */
  async #takeUp(homes: readonly string[]): Promise<void> {
    const { takeUp, log } = this.#parts;
    for (const group of inGroups(homes, GROUP)) {
      if (this.#isLeaving) return;
      try {
        await takeUp(group);
        for (const home of group) log.info({ event: 'home.taken-up', home });
      } catch {
        for (const home of group) if (!this.#isLeaving) await this.#move('home.taken-up', home, () => takeUp([home]));
      }
    }
  }

  async #giveUp(homes: readonly string[], cut?: AbortSignal): Promise<void> {
    await forEachLimit(homes, AT_ONCE, async (home) => {
      if (!cut?.aborted) await this.#move('home.given-up', home, () => this.#parts.giveUp(home));
    });
  }

  async #move(event: string, home: string, move: () => Promise<void>): Promise<void> {
    const { log } = this.#parts;
    try {
      await move();
      log.info({ event, home });
    } catch (error) {
      this.#unsettled.add(home);
      log.warn({ event: 'home.not-moved', home, err: error });
    }
  }
}

function isCounted({ leftMs, isStarting, isLeaving }: Node): boolean {
  return leftMs >= 0 && !isStarting && !isLeaving;
}
