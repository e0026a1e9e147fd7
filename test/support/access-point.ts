// Stand-in access points: one behind HTTP, as phoss-ap 0.10 answers (test/network/expectations.ts holds both to it), one behind folders as its
// directory sender and forwarder. What they are given they bring to whoever receives for the participant, as AS4 would.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openInbound } from './access-point-inbound.ts';

export const AP_TOKEN = 'a token of the access point';

export interface Transaction {
  status: string;
  mlsStatus: string;
  errorDetails: string | null;
  /** Tries that failed. */
  attemptCount: number;
  /** In the archive, where it is found only when that is asked for. */
  archived: boolean;
  /** More than one when the same was submitted again: it has no constraint against that, and then knows neither. */
  copies: number;
  readonly envelope: string;
}

/** How a submission ends; whatever is stored is tried again by the access point itself, which is for `carry`, or the test, to say. */
export type Mode =
  /** It is sent while it is asked. */
  | 'send'
  /** It is stored, and the first try fails: the receiving access point does not answer yet. */
  | 'fail'
  /** It is stored, and the answer is lost. */
  | 'lose'
  /** It is stored, and there is no answer, for ever. */
  | 'hang'
  /** The access point ends before it has stored anything. */
  | 'die'
  /** Nothing is stored, and this is the answer. */
  | number;

export interface HttpAccessPoint extends AsyncDisposable {
  readonly url: string;
  /** By instanceId, in the order in which they were first submitted. */
  readonly transactions: Map<string, Transaction>;
  /** Instance ids of every submission, again and again. */
  readonly submissions: string[];
  /** Brings everything that it has to the cores of its receivers (participant and base address). */
  carry(cores: readonly (readonly [participant: string, coreUrl: string])[]): void;
  mode: (instanceId: string) => Mode;
  /** How it answers a question about a status: as it is, or with this status of HTTP. */
  asked: () => 'tell' | number;
  /** Moves what has come to an end to the archive. */
  archive(): void;
  /** Tries again by itself what it could not send, and what it could not forward. */
  retry(): Promise<void>;
  /** Gets an envelope by AS4, and forwards it to the back end that it was started with. */
  receive(envelope: string): Promise<void>;
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

const ENDS: ReadonlySet<string> = new Set(['sent', 'rejected', 'permanently_failed']);
/** What is stored by each way in which a submission may end, and how it is answered. */
const STORED: Readonly<Record<Exclude<Mode, number | 'die'>, readonly [status: string, answer: number | 'cut' | 'none']>> = {
  send: ['sent', 200],
  fail: ['failed', 422],
  lose: ['sending', 'cut'],
  hang: ['sending', 'none'],
};
const NO_ANSWER = 'The receiving access point does not answer.';

/** What the message level status in an envelope says about which of ours; undefined when it holds none. */
function answerIn(envelope: string): { readonly reference: string; readonly code: string } | undefined {
  if (!envelope.includes('<cbc:CustomizationID>urn:peppol:edec:mls:1.0')) return undefined;
  const [, code = ''] = /<cbc:ResponseCode>([^<]+)</.exec(envelope) ?? [];
  const [, reference = ''] = /<cac:DocumentReference><cbc:ID>([^<]+)</.exec(envelope) ?? [];
  return { code, reference };
}

export async function startHttpAccessPoint(backendUrl: string | null = null): Promise<HttpAccessPoint> {
  const inbound = openInbound(backendUrl, AP_TOKEN);
  const transactions: HttpAccessPoint['transactions'] = new Map();
  const submissions: string[] = [];

  async function submit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const envelope = Buffer.concat(pieces).toString('utf8');
    const sbdhInstanceIdentifier = instanceIdIn(envelope);
    if (!sbdhInstanceIdentifier) return json(response, 400, 'Failed to submit outbound SBD transaction');
    submissions.push(sbdhInstanceIdentifier);
    const mode = ap.mode(sbdhInstanceIdentifier);
    if (typeof mode === 'number') return json(response, mode, mode === 400 ? 'Failed to submit outbound SBD transaction' : {});
    if (mode === 'die') return void request.socket.destroy();
    const [status, answer] = STORED[mode];
    const before = transactions.get(sbdhInstanceIdentifier);
    const [errorDetails, attemptCount] = status === 'failed' ? [NO_ANSWER, 1] : [null, 0];
    const stored = { status, mlsStatus: 'pending', errorDetails, attemptCount, archived: false };
    transactions.set(sbdhInstanceIdentifier, { ...stored, copies: (before?.copies ?? 0) + 1, envelope });
    if (answer === 'cut') return void request.socket.destroy();
    if (answer === 'none') return;
    const sendingSuccess = answer === 200;
    const failure = sendingSuccess ? {} : { sendingError: NO_ANSWER };
    json(response, answer, { sbdhInstanceIdentifier, ...failure, sendingSuccess, overallSuccess: sendingSuccess });
  }

  function tell(url: string, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://any');
    const sbdhInstanceID = decodeURIComponent(/^\/api\/outbound\/status\/(.+)$/.exec(pathname)?.[1] ?? '');
    const found = transactions.get(sbdhInstanceID);
    if (found?.copies !== 1 || (found.archived && searchParams.get('includeArchive') !== 'true')) {
      json(response, 404, '');
      return;
    }
    const { status, mlsStatus, errorDetails, attemptCount } = found;
    json(response, 200, { transactionType: 'business_document', sbdhInstanceID, status, attemptCount, errorDetails, mlsStatus });
  }

  async function bring(transaction: Transaction, coreUrl: string): Promise<void> {
    const answer = await handOver(coreUrl, transaction.envelope);
    transaction.status = answer.status === 200 ? 'sent' : 'permanently_failed';
  }

  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (request.headers['x-token'] !== AP_TOKEN) return json(response, 401, { error: 'Invalid or missing API token' });
    if (url.split('?')[0] === '/api/outbound/submit-sbd') return void submit(request, response).catch(() => request.socket.destroy());
    if (url.startsWith('/api/inbound/')) return inbound.tell(url.split('?')[0] ?? '', response);
    const answer = ap.asked();
    if (answer !== 'tell') return json(response, answer, {});
    tell(url, response);
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
    mode: () => 'fail',
    asked: () => 'tell',
    archive() {
      for (const transaction of transactions.values()) transaction.archived ||= ENDS.has(transaction.status);
    },
    async retry() {
      for (const [instanceId, transaction] of transactions) {
        if (transaction.status !== 'failed') continue;
        if (ap.mode(instanceId) === 'send') Object.assign(transaction, { status: 'sent', errorDetails: null });
        else transaction.attemptCount += 1;
      }
      await inbound.retry();
    },
    async receive(envelope) {
      const answer = answerIn(envelope);
      const about = transactions.get(answer?.reference ?? '');
      // What is in the archive is not looked for.
      if (answer && about?.copies === 1 && !about.archived) about.mlsStatus = `received_${answer.code.toLowerCase()}`;
      await inbound.receive(instanceIdIn(envelope), envelope);
    },
    stop,
    start: () => listen(port),
    [Symbol.asyncDispose]: stop,
  };
  return ap;
}

/** As the access point of the receiver does it. */
export function handOver(coreUrl: string, envelope: string | Uint8Array, token = AP_TOKEN, query = ''): Promise<Response> {
  const body = typeof envelope === 'string' ? envelope : new Uint8Array(envelope);
  return fetch(`${coreUrl}/access-point/incoming${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml', 'x-token': token },
    body,
  });
}

function json(response: ServerResponse, status: number, body: object | string): void {
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
