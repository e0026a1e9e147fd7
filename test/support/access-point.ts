// Stand-in access points: one behind HTTP with phoss-ap's paths, one behind folders as its directory sender and forwarder. What they are
// given they bring to whoever receives for the participant, as AS4 would.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export const AP_TOKEN = 'a token of the access point';

export interface Transaction {
  status: string;
  mlsStatus: string;
  errorDetails: string | null;
  readonly envelope: string;
}

export interface HttpAccessPoint extends AsyncDisposable {
  readonly url: string;
  /** By instanceId, in the order in which they were first submitted. */
  readonly transactions: Map<string, Transaction>;
  /** Instance ids of every submission, again and again. */
  readonly submissions: string[];
  /** Brings everything that it has to the cores of its receivers (participant and base address). */
  carry(cores: readonly (readonly [participant: string, coreUrl: string])[]): void;
  /** What happens to a submission: `take` it; `lose` the answer after it was taken; `hang`, which never answers; or answer with a status. */
  mode: (instanceId: string) => 'take' | 'lose' | 'hang' | number;
  /** What happens to a question what became of one: `tell` it, or answer with a status. */
  asked: () => 'tell' | number;
  /** Nobody listens any more. */
  stop(): Promise<void>;
  /** Listens again, at the same address. */
  start(): Promise<void>;
}

export function instanceIdIn(envelope: string): string {
  return /<InstanceIdentifier>([^<]+)</.exec(envelope)?.[1] ?? '';
}

export function receiverIn(envelope: string): string {
  return /<Receiver><Identifier[^>]*>([^<]+)</.exec(envelope)?.[1] ?? '';
}

export async function startHttpAccessPoint(): Promise<HttpAccessPoint> {
  const transactions: HttpAccessPoint['transactions'] = new Map();
  const submissions: string[] = [];

  async function submit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const envelope = Buffer.concat(pieces).toString('utf8');
    const sbdhInstanceID = instanceIdIn(envelope);
    submissions.push(sbdhInstanceID);
    const mode = ap.mode(sbdhInstanceID);
    if (typeof mode === 'number') return json(response, mode, { status: 'not_queued', sbdhInstanceID });
    // A second one of the same name is a duplicate, which it refuses.
    if (transactions.has(sbdhInstanceID)) return json(response, 409, { status: 'not_queued', sbdhInstanceID });
    transactions.set(sbdhInstanceID, { status: 'pending', mlsStatus: 'pending', errorDetails: null, envelope });
    if (mode === 'lose') return void request.socket.destroy();
    if (mode === 'hang') return;
    json(response, 200, { status: 'queued', sbdhInstanceID });
  }

  async function bring(transaction: Transaction, coreUrl: string): Promise<void> {
    const answer = await handOver(coreUrl, transaction.envelope);
    transaction.status = answer.status === 200 ? 'sent' : 'permanently_failed';
  }

  const server = createServer((request, response) => {
    if (request.headers['x-token'] !== AP_TOKEN) return json(response, 401, {});
    if (request.url === '/api/outbound/submit-sbd') return void submit(request, response).catch(() => request.socket.destroy());
    const answer = ap.asked();
    if (answer !== 'tell') return json(response, answer, {});
    const asked = decodeURIComponent(/^\/api\/outbound\/status\/(.+)$/.exec(request.url ?? '')?.[1] ?? '');
    const found = transactions.get(asked);
    return found ? json(response, 200, { ...found, envelope: undefined, sbdhInstanceID: asked }) : json(response, 404, {});
  });
  const listen = (port: number) => new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  async function stop(): Promise<void> {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const ap: HttpAccessPoint = {
    url: `http://127.0.0.1:${port}`,
    transactions,
    submissions,
    carry(cores) {
      for (const transaction of transactions.values()) {
        const [, coreUrl] = cores.find(([participant]) => participant === receiverIn(transaction.envelope)) ?? [];
        if (coreUrl !== undefined) void bring(transaction, coreUrl);
      }
    },
    mode: () => 'take',
    asked: () => 'tell',
    stop,
    start: () => listen(port),
    [Symbol.asyncDispose]: stop,
  };
  return ap;
}

/** As the access point of the receiver does it. */
export function handOver(coreUrl: string, envelope: string | Uint8Array, token = AP_TOKEN): Promise<Response> {
  const body = typeof envelope === 'string' ? envelope : new Uint8Array(envelope);
  return fetch(`${coreUrl}/access-point/incoming`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml', 'x-token': token },
    body,
  });
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Takes what lies in one core's folder to the folder of whoever receives it, and writes the results. */
export function carryFolders(from: string, folders: ReadonlyMap<string, string>): number {
  const out = join(from, 'out');
  const names = existsSync(out) ? readdirSync(out).filter((name) => name.endsWith('.xml')) : [];
  for (const name of names) {
    for (const folder of ['pending', 'success', 'error']) mkdirSync(join(out, folder), { recursive: true });
    const pending = join(out, 'pending', name);
    renameSync(join(out, name), pending);
    const envelope = readFileSync(pending, 'utf8');
    const to = folders.get(receiverIn(envelope));
    if (to !== undefined) putEnvelope(to, name, envelope);
    const sbdhInstanceID = instanceIdIn(envelope);
    const [folder, result] =
      to === undefined
        ? (['error', { success: false, sbdhInstanceID, status: 'permanently_failed', errorDetails: 'nobody there' }] as const)
        : (['success', { success: true, sbdhInstanceID, status: 'sent' }] as const);
    renameSync(pending, join(out, folder, name));
    writeFileSync(join(out, folder, `${name}.json`), JSON.stringify(result));
  }
  return names.length;
}

/** As a forwarder puts it: complete when it is seen. */
export function putEnvelope(folder: string, name: string, envelope: string | Uint8Array): void {
  const into = join(folder, 'in');
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, `${name}.tmp`), envelope);
  renameSync(join(into, `${name}.tmp`), join(into, name));
}
