// HTTP between two threads of this program, over a message port instead of a connection. Requests and responses are the same as over a
// connection; parsing, buffering and system calls, which take longer than most requests, are left out.
import { channel } from 'node:diagnostics_channel';
import type { MessagePort } from 'node:worker_threads';
import { Semaphore } from '#runtime/concurrency.ts';
import { apart, openBatches } from './messages.ts';

export interface PortRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

export interface PortHead {
  readonly status: number;
  /** By names in lower case; of a repeated one the first. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface PortHttp {
  /**
   * Resolves when the whole response has arrived. `begin` gets its head and returns a function that gets each piece of its body; an error
   * from either ends the response and is thrown. Also throws when the response is not complete in time, or the other thread has closed the
   * port: the request may have been carried out or not.
   */
  ask(request: PortRequest, begin: (head: PortHead) => (piece: Buffer) => void, timeoutMs: number): Promise<PortHead>;
  close(): void;
}

/** A part of a response. The first part has the head. */
export interface AnswerPart {
  readonly head: PortHead | null;
  readonly piece: Uint8Array | null;
  /** `lost`: the response breaks off here. */
  readonly state: 'more' | 'end' | 'lost';
}

/** How the server's end learns what the client does with the response. */
interface Hearing {
  /** The client has read so many bytes. */
  taken(bytes: number): void;
  /** The client has given up. */
  cut(): void;
}

/** Begins to answer a request. */
export type Answerer = (request: PortRequest, tell: (part: AnswerPart) => void) => Hearing;

type Asked =
  | { readonly id: number; readonly kind: 'ask'; readonly request: PortRequest }
  | { readonly id: number; readonly kind: 'taken'; readonly bytes: number }
  | { readonly id: number; readonly kind: 'cut' };

type Told = AnswerPart & { readonly id: number };

/** Requests at the same time; further ones wait. */
const UNDER_WAY_MAX = 64;

/** Counters of requests subscribe to this channel, as they do to undici's for requests over connections. */
const asked = channel('dropgate:exchange:ask');

/** The client's end. */
export function openPortHttp(port: MessagePort): PortHttp {
  const waiting = new Map<number, { hear(part: AnswerPart): void; fail(error: unknown): void }>();
  const places = new Semaphore(UNDER_WAY_MAX);
  const { post } = openBatches<Asked>(port);
  let lastId = 0;
  let closed = false;

  port.on('message', (batch: unknown) => {
    if (!isBatch<Told>(batch)) return;
    for (const part of batch) waiting.get(part.id)?.hear(part);
  });
  port.on('close', () => {
    closed = true;
    for (const { fail } of waiting.values()) fail(gone());
  });

  return {
    async ask(request, begin, timeoutMs) {
      using _place = await places.take();
      if (closed) throw gone();
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<PortHead>();
      let answer: { head: PortHead; take: (piece: Buffer) => void } | null = null;

      function fail(error: unknown): void {
        waiting.delete(id);
        reject(error);
      }

      function hear({ head, piece, state }: AnswerPart): void {
        try {
          if (head) answer = { head, take: begin(head) };
          if (!answer || state === 'lost') throw new Error('the answer was cut off');
          if (piece) answer.take(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
          if (state === 'end') resolve(answer.head);
          else if (piece) post({ id, kind: 'taken', bytes: piece.byteLength });
        } catch (error) {
          fail(error);
        }
      }

      waiting.set(id, { hear, fail });
      const deadline = setTimeout(() => fail(new Error('no whole answer came in time')), timeoutMs);
      if (asked.hasSubscribers) asked.publish(request);
      post({ id, kind: 'ask', request: { ...request, body: request.body && apart(request.body) } });
      try {
        return await promise;
      } catch (error) {
        post({ id, kind: 'cut' });
        throw error;
      } finally {
        clearTimeout(deadline);
        waiting.delete(id);
      }
    },
    close() {
      port.close();
    },
  };
}

export interface Answering {
  /** Resolves when all requests so far have their responses; later requests get `lost`. */
  close(): Promise<void>;
}

/** The server's end. */
export function answerPortHttp(port: MessagePort, answer: Answerer): Answering {
  const underWay = new Map<number, Hearing>();
  const { post, flush } = openBatches<Told>(port);
  let ended: (() => void) | null = null;

  function begin(id: number, request: PortRequest): void {
    if (ended) {
      post({ id, head: null, piece: null, state: 'lost' });
      return;
    }
    let over = false;
    const hearing = answer(request, ({ head, piece, state }) => {
      if (over) return;
      over = state !== 'more';
      post({ id, head, piece: piece && apart(piece), state });
      if (!over) return;
      underWay.delete(id);
      if (underWay.size === 0) ended?.();
    });
    if (!over) underWay.set(id, hearing);
  }

  port.on('message', (batch: unknown) => {
    if (!isBatch<Asked>(batch)) return;
    for (const message of batch) {
      if (message.kind === 'ask') begin(message.id, message.request);
      else if (message.kind === 'taken') underWay.get(message.id)?.taken(message.bytes);
      else underWay.get(message.id)?.cut();
    }
  });

  return {
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      ended = resolve;
      if (underWay.size > 0) await promise;
      flush();
      port.close();
    },
  };
}

/** Both ends belong to this program, so the type of messages is known. */
function isBatch<Message>(batch: unknown): batch is readonly Message[] {
  return Array.isArray(batch);
}

function gone(): Error {
  return new Error('the other end is gone');
}
