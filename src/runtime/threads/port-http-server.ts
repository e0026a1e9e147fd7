// Requests that came from another thread, answered by an HTTP server as if they had come over a connection from this machine: one way
// through gate, routes and errors, whoever asks and however.
import { IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { HttpServer } from '#runtime/http/server.ts';
import type { Answerer, AnswerPart, PortRequest } from './port-http.ts';

/** Bytes of an answer on their way; more are written when those have been taken. */
const ON_THE_WAY_MAX = 1024 * 1024;

/** What stands for a connection: from this machine, never open. */
const HERE = Object.defineProperty(new Socket(), 'remoteAddress', { value: '127.0.0.1' });

/** The server must be ready, as one is that listens. */
export function answerByServer(server: Pick<HttpServer, 'routing'>): Answerer {
  return (asked, tell) => {
    const request = new Incoming(asked);
    const response = new Outgoing(request, tell);
    server.routing(request, response);
    return { taken: (bytes) => response.taken(bytes), cut: () => void response.destroy() };
  };
}

class Incoming extends IncomingMessage {
  constructor({ method, path, headers, body }: PortRequest) {
    super(HERE);
    this.method = method;
    this.url = path;
    this.httpVersion = '1.1';
    this.complete = true;
    this.headers = { ...headers, ...(body && { 'content-length': String(body.byteLength) }) };
    if (body) this.push(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
    this.push(null);
  }

  /** All there is stands here already. */
  override _read(): void {}
}

type GivenHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined;

/** Tells what is written in place of writing it; what Node's own does for a connection it leaves out. */
class Outgoing extends ServerResponse {
  override headersSent = false;
  readonly #tell: (part: AnswerPart) => void;
  #head: AnswerPart['head'] = null;
  #onTheWay = 0;

  constructor(request: Incoming, tell: (part: AnswerPart) => void) {
    super(request);
    this.#tell = tell;
  }

  override writeHead(status: number, second?: string | GivenHeaders, third?: GivenHeaders): this {
    const given = typeof second === 'string' ? third : (second ?? third);
    if (Array.isArray(given)) throw new TypeError('headers are taken by their names, not as a list');
    this.statusCode = status;
    this.headersSent = true;
    this.#head = { status, headers: headersOf({ ...this.getHeaders(), ...given }) };
    return this;
  }

  override write(chunk: unknown): boolean {
    const piece = bytesOf(chunk);
    if (this.destroyed || this.writableEnded || !piece) return true;
    this.#onTheWay += piece.byteLength;
    this.#put(piece, 'more');
    return this.#onTheWay < ON_THE_WAY_MAX;
  }

  override end(chunk?: unknown): this {
    if (this.destroyed || this.writableEnded) return this;
    this.finished = true;
    this.#put(bytesOf(chunk), 'end');
    this.emit('finish');
    this.emit('close');
    return this;
  }

  override destroy(): this {
    if (this.destroyed || this.writableEnded) return this;
    this.destroyed = true;
    this.#put(null, 'lost');
    this.emit('close');
    return this;
  }

  taken(bytes: number): void {
    const wasFull = this.#onTheWay >= ON_THE_WAY_MAX;
    this.#onTheWay -= bytes;
    if (wasFull && this.#onTheWay < ON_THE_WAY_MAX) this.emit('drain');
  }

  #put(piece: Uint8Array | null, state: AnswerPart['state']): void {
    if (!this.headersSent) this.writeHead(this.statusCode);
    this.#tell({ head: this.#head, piece, state });
    this.#head = null;
  }
}

function bytesOf(chunk: unknown): Uint8Array | null {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  return chunk instanceof Uint8Array ? chunk : null;
}

/** By names in lower case; of a repeated one the first. */
function headersOf(given: OutgoingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) headers[name.toLowerCase()] = String(first);
  }
  return headers;
}
