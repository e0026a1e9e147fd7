// `dropgate demo --cluster`: ERPs upload to three gateways, of which one is killed in the middle; who has its homes then, and in the end the counts.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '#domain/error.ts';
import { glnCheckDigit } from '#domain/participant.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { publicKeysIn } from '#operations/credentials.ts';
import type { NewAccount } from '#operations/new-account.ts';
import { publicKeyFile } from './credentials.ts';
import { BUYER, SELLER, writeKnownHosts } from './demo-accounts.ts';
import { SAMPLE_INVOICE } from './demo-guide.ts';
import { LEASE_S, type Node, type Nodes, startNodes } from './demo-nodes.ts';
import { startServers } from './demo-servers.ts';
import { type Door, makeKey, runBatch, type Stage, until } from './demo-stage.ts';

const PAIRS = 4;
const DOCUMENTS_EACH = 20;
const DOCUMENTS = PAIRS * DOCUMENTS_EACH;
/** So many are acknowledged when one is killed. */
const KILLED_AT = DOCUMENTS / 4;
const SHARED_OUT_MS_MAX = 60_000;
const UPLOADED_MS_MAX = 120_000;
/** What a node had taken that was killed is looked at again after a minute at the latest. */
const DELIVERED_MS_MAX = 120_000;
/** What came twice would come soon after all that was to come. */
const QUIET_MS = 3_000;
const NEXT_TRY_MS = 50;
/** Slow enough that ERPs still upload when the killed node's homes are taken over. */
const BETWEEN_MS = 350;

interface Pair {
  readonly seller: string;
  readonly buyer: string;
  readonly participants: readonly [seller: string, buyer: string];
}

interface Uploads {
  /** What the ERPs were told is safe. */
  readonly acknowledged: string[];
  /** Tries that a node cut off or refused. */
  failed: number;
}

export async function showCluster(stage: Stage): Promise<void> {
  const { folder, say } = stage;
  const servers = await startServers(stage);
  say(`${servers.names} run in ${folder}, for this demo alone.`);
  const key = await makeKey(folder);
  const pairs = Array.from({ length: PAIRS }, (_, at) => pairOf(at + 1));
  const nodes = await startNodes(
    stage,
    servers,
    pairs.flatMap((pair) => accountsOf(pair, `${key}.pub`)),
  );
  const shared = await nodes.settled(nodes.all, SHARED_OUT_MS_MAX);
  say(`A core and the nodes ${nodes.all.map(({ name }) => name).join(', ')} run: ${shared}.`);

  const uploads: Uploads = { acknowledged: [], failed: 0 };
  const knownHosts = await writeKnownHosts(nodes.data, ...nodes.all.map(({ port }) => port));
  say(
    `Uploading: ${PAIRS} ERPs put ${DOCUMENTS_EACH} invoices each, by OpenSSH's sftp, to all nodes in turn, until one says that it is safe.`,
  );
  await Promise.all([
    ...pairs.map((pair, at) => uploadAll(stage, nodes, { key, knownHosts, login: pair.seller }, documentsOf(folder, pair), at, uploads)),
    killOne(stage, nodes, uploads),
  ]);
  say(`Uploaded: all; ${uploads.failed} tries came to an end with the killed node, or to its closed port, and went to the next one.`);
  await count(stage, nodes, pairs, uploads);
}

async function killOne({ say }: Stage, nodes: Nodes, { acknowledged }: Uploads): Promise<void> {
  await until('Not enough was uploaded', () => acknowledged.length >= KILLED_AT, UPLOADED_MS_MAX);
  const { busiest: killed } = nodes;
  await killed.daemon.kill();
  const killedAt = performance.now();
  say(
    `Killed: node ${killed.name}, by SIGKILL, with ${nodes.homesOf(killed)} homes in hand; ${acknowledged.length} invoices are acknowledged.`,
  );
  const living = nodes.all.filter((node) => node !== killed);
  const secondsSince = (): string => ((performance.now() - killedAt) / 1_000).toFixed(1);
  const by = await until('Nobody has taken over', () => living.find((node) => hasEnded(node, killed)));
  say(
    `Taken over: node ${by.name} has ended ${killed.name} ${secondsSince()} s later; the lease is ${LEASE_S} s here, and 20 s by default.`,
  );
  say(`Homes: ${await nodes.settled(living, SHARED_OUT_MS_MAX)}, ${secondsSince()} s after the kill.`);
}

function hasEnded(node: Node, killed: Node): boolean {
  return node.daemon.facts('node.taken-over').some((fact) => fact.node === killed.name);
}

/** One ERP: each document to one node after the other, as a balancer gives them, and again until one has acknowledged it. */
async function uploadAll(
  stage: Stage,
  { all }: Nodes,
  door: Omit<Door, 'port'>,
  documents: readonly string[],
  first: number,
  uploads: Uploads,
): Promise<void> {
  let turn = first;
  for (const path of documents) {
    const batch = `${path}.batch`;
    writeFileSync(batch, `put ${path} inbox/\n`);
    const deadline = performance.now() + UPLOADED_MS_MAX;
    while (!(await isTaken({ ...door, port: all[turn++ % all.length]?.port ?? 0 }, batch))) {
      uploads.failed++;
      if (stage.isOver || performance.now() > deadline) throw new AppError('internal', `No node takes ${path}.`);
      await pause(NEXT_TRY_MS);
    }
    uploads.acknowledged.push(readFileSync(path, 'utf8'));
    await pause(BETWEEN_MS);
  }
}

async function isTaken(door: Door, batch: string): Promise<boolean> {
  try {
    await runBatch(door, batch);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'internal') return false;
    throw error;
  }
}

/** Throws `internal` where something was lost or came twice. */
async function count({ say }: Stage, { data }: Nodes, pairs: readonly Pair[], { acknowledged }: Uploads): Promise<void> {
  const outbox = (pair: Pair): string => join(homeFolder(data, pair.buyer), 'outbox');
  const arrived = (): string[] => pairs.flatMap((pair) => readdirSync(outbox(pair)).map((name) => join(outbox(pair), name)));
  const isAllThere = (): boolean => arrived().length >= acknowledged.length;
  // What is missing is counted below.
  await until('Not everything has arrived', isAllThere, DELIVERED_MS_MAX).catch(() => undefined);
  await pause(QUIET_MS);
  const copies = Map.groupBy(
    arrived().map((path) => readFileSync(path, 'utf8')),
    (text) => text,
  );
  const delivered = acknowledged.filter((text) => copies.has(text)).length;
  const lost = acknowledged.length - delivered;
  const twice = [...copies.values()].filter(({ length }) => length > 1).length;
  say(`Counted, byte for byte: acknowledged ${acknowledged.length}, delivered ${delivered}, lost ${lost}, twice ${twice}.`);
  if (lost + twice > 0) throw new AppError('internal', 'What was acknowledged has not been delivered once each.');
}

function pairOf(number: number): Pair {
  const participant = (prefix: string): string => {
    const twelve = `${prefix}${String(number).padStart(3, '0')}`;
    return `${twelve}${glnCheckDigit(twelve)}`;
  };
  return { seller: `seller-${number}`, buyer: `buyer-${number}`, participants: [participant('730001000'), participant('735000000')] };
}

function accountsOf({ seller, buyer, participants }: Pair, publicKey: string): NewAccount[] {
  const publicKeys = publicKeysIn(publicKeyFile(publicKey));
  return [seller, buyer].map((accountRegNo, at) => ({
    accountRegNo,
    name: accountRegNo,
    participants: [`0088:${participants[at]}`],
    login: { login: accountRegNo, passwordHash: null, publicKeys },
  }));
}

/** Invoices from the one to the other, as files that its ERP has written. */
function documentsOf(folder: string, { seller, participants }: Pair): string[] {
  const own = join(folder, 'erps', seller);
  mkdirSync(own, { recursive: true });
  const [sender, receiver] = [SELLER, BUYER].map(({ participant }) => participant.replace('0088:', ''));
  const sample = readFileSync(SAMPLE_INVOICE, 'utf8')
    .replaceAll(sender ?? '', participants[0])
    .replaceAll(receiver ?? '', participants[1]);
  return Array.from({ length: DOCUMENTS_EACH }, (_, at) => {
    const id = `${seller}-${at + 1}`;
    const path = join(own, `${id}.xml`);
    writeFileSync(path, sample.replace(/<cbc:ID>[^<]*/, `<cbc:ID>${id}`));
    return path;
  });
}
