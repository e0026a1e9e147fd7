// A node joins the others: its name is its own, its data folder theirs. It ends those whose leases have passed.
import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import { folderId } from '#gateway/disk/folder-id.ts';
import { livingIncarnations } from '#gateway/disk/incarnation.ts';
import { forgetProcess, isKnown, readProcesses } from '#gateway/ledger/hands.ts';
import { endNode, type Node, putNode, readNodes, readTakeovers, takeAllFree } from '#gateway/ledger/nodes.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { agreeOnFolder } from './folder.ts';
import { Lease } from './lease.ts';

/** Between two looks whether the lease of the last process of this name is renewed. */
const LOOK_MS = 250;
/** By so many it is known to live: one may have been under way when it was killed, and committed late, as where a commit waits for the standby. */
const RENEWALS = 2;

export interface NodeSettings {
  readonly name: string;
  readonly leaseMs: number;
  /** So long the nodes must have been the same before one gives a home up for another. */
  readonly calmMs: number;
  /** Ends the process, which has lost its homes. */
  readonly lost: (sentence: string) => void;
}

export interface JoinParts {
  readonly settings: NodeSettings;
  readonly data: string;
  readonly place: string;
  /** The gateway's. It was opened by the incarnation. */
  readonly ledger: Ledger;
  /** The same, by connections of its own. */
  readonly own: Ledger;
  readonly incarnation: string;
  readonly ticks: () => number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface Joined {
  readonly lease: Lease;
  /** Those that it has in hand: all, where it is the only node. */
  readonly homes: readonly string[];
  /** The id of the data folder. */
  readonly folder: string;
}

/**
 * Throws `locked` where a living node has its name, or a process without a name works on the ledger; `usage` where the nodes have another data folder. The
 * last process of this name may have been killed: then it waits until that one's lease has passed.
 */
export async function join(parts: JoinParts): Promise<Joined> {
  const { settings, data, ledger, incarnation, random, log } = parts;
  let lease: Lease | undefined;
  const isStill = async (): Promise<boolean> => lease?.holds() !== false && isKnown(ledger.read, incarnation);
  if (!(await ledger.claim(incarnation, isStill))) throw new AppError('locked', `Another dropgate is called ${incarnation}: start again.`);
  const folder = await folderId(data, random);
  for (;;) {
    await refuseNameless(ledger);
    await waitForName(parts);
    const since = Lease.moment(parts);
    const homes = await ledger.write(['administration'], (rows) => enter(parts, rows, folder));
    if (!homes) continue;
    lease = new Lease({ ...parts, ledger: parts.own, leaseMs: settings.leaseMs, lost: settings.lost }, since);
    log.info({ event: 'node.joined', node: settings.name, incarnation, homes: homes.length });
    return { lease, homes, folder };
  }
}

/** Undefined where another has come before it by the same name. */
async function enter({ settings, data, place, incarnation }: JoinParts, rows: Rows, folder: string): Promise<string[] | undefined> {
  const others = await readNodes(rows);
  if (others.some(({ node }) => node === settings.name)) return undefined;
  const living = others.find(({ leftMs }) => leftMs >= 0);
  await agreeOnFolder(rows, data, folder, living);
  await putNode(rows, { incarnation, node: settings.name, place }, settings.leaseMs);
  return others.length > 0 ? [] : takeAllFree(rows, incarnation);
}

async function refuseNameless(ledger: Ledger): Promise<void> {
  for (const { incarnation, place, node } of await readProcesses(ledger.read)) {
    if (node !== null) continue;
    if (!(await ledger.outlive(incarnation, false))) throw besideNameless(place);
    await ledger.write(['administration'], (rows) => forgetProcess(rows, incarnation));
  }
}

/** No node works beside a gateway without a name. */
export function besideNameless(place: string): AppError {
  return new AppError('locked', `Another dropgate (${place}) works on this database without a name: stop it, or give it one, too (node).`);
}

async function waitForName(parts: JoinParts): Promise<void> {
  const { settings, own, clock, log } = parts;
  let leftMs = Number.POSITIVE_INFINITY;
  let renewals = 0;
  for (;;) {
    const last = (await readNodes(own.read)).find(({ node }) => node === settings.name);
    if (!last) return;
    if (last.leftMs > leftMs) renewals++;
    if (renewals === RENEWALS) throw nameTaken(last);
    if (leftMs === Number.POSITIVE_INFINITY && last.leftMs >= 0)
      log.info({ event: 'node.waits', node: last.node, place: last.place, leaseMs: last.leftMs });
    leftMs = last.leftMs;
    if (leftMs < 0) await end(parts, last);
    else await new Promise<void>((wake) => clock.after(LOOK_MS, wake));
  }
}

/** Another node has the name. */
export function nameTaken({ node, place }: Pick<Node, 'node' | 'place'>): AppError {
  return new AppError('locked', `Node ${node} lives already (${place}): stop it, or give this one another name (node).`);
}

/**
 * Ends a node whose lease has passed: its sessions, so that nothing of it goes on and it holds no locks; its name, so that nothing comes after; then its row
 * and those of its homes. False where it could not be ended now, or another has done so.
 */
export async function end({ settings, ledger, log }: Pick<JoinParts, 'settings' | 'ledger' | 'log'>, lapsed: Node): Promise<boolean> {
  if (!(await ledger.outlive(lapsed.incarnation, true))) return false;
  const homes = await ledger.write(['administration'], (rows) => endNode(rows, lapsed, settings.name));
  if (homes === undefined) return false;
  log.warn({ event: 'node.taken-over', node: lapsed.node, incarnation: lapsed.incarnation, homes });
  return true;
}

/** Of another than this node. */
export function isLapsed(node: Node, incarnation: string): boolean {
  return node.leftMs < 0 && node.incarnation !== incarnation;
}

/** Ends those of the other nodes whose leases have passed; whether there was one. */
export async function endLapsed(
  parts: Pick<JoinParts, 'settings' | 'ledger' | 'log' | 'incarnation'>,
  nodes: readonly Node[],
): Promise<boolean> {
  let isOneEnded = false;
  for (const each of nodes) if (isLapsed(each, parts.incarnation) && (await end(parts, each))) isOneEnded = true;
  return isOneEnded;
}

/** What a node needs to know of the others, and to do about them, before and after it takes homes up. */
export function amongNodes(parts: Pick<JoinParts, 'settings' | 'data' | 'ledger' | 'incarnation' | 'log'>) {
  const { data, ledger, incarnation } = parts;
  return {
    living: () => livingBesides(ledger.read, data),
    isFirst: () => isFirst(ledger.read, incarnation),
    endLapsed: async () => void (await endLapsed(parts, await readNodes(ledger.read))),
  };
}

/** Those that live: nodes by their rows, for locks of files may not reach from one machine to another; commands by their locks. */
async function livingBesides(rows: Rows, data: string): Promise<ReadonlySet<string>> {
  const locked = livingIncarnations(data);
  const [processes, takeovers] = await Promise.all([readProcesses(rows), readTakeovers(rows)]);
  for (const { incarnation } of takeovers) locked.delete(incarnation);
  return new Set([...locked, ...processes.map(({ incarnation }) => incarnation)]);
}

/** Whether it has joined before all others that are there: it does what one of them is to do. */
async function isFirst(rows: Rows, incarnation: string): Promise<boolean> {
  const [first] = await readNodes(rows);
  return first?.incarnation === incarnation;
}
