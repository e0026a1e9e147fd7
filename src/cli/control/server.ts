// The control socket: commands on this machine have the running daemon do their operations, which so see what it holds in memory.

import { PassThrough } from 'node:stream';
import type { Opened } from '#cli/opened.ts';
import { AppError, toAppError } from '#domain/error.ts';
import { controlPath } from '#installation/control-path.ts';
import { isOperation, type OperationName } from '#operations/table.ts';
import type { Config } from '#runtime/config/config.ts';
import { createHttpServer, type HttpOptions, listenHttp } from '#runtime/http/server.ts';
import type { Log } from '#runtime/log.ts';
import { VERSION } from '#runtime/version.ts';
import { CALLER_HEADER, type ControlLine, VERSION_HEADER } from './place.ts';

/** The owner's alone. */
const SOCKET_MODE = 0o600;
const BODY_BYTES_MAX = 16 * 2 ** 20;
const CONNECTIONS_MAX = 64;
const TIMEOUTS = { headers: 10_000, request: 30_000 } as const;
/** A connection that says nothing for long is cut. */
const SIGN_EVERY_MS = 2_000;
const PROGRESS_EVERY_MS = 100;

export interface ControlParts {
  readonly config: Config;
  readonly opened: Opened;
  readonly log: Log;
}

/** Listens; without the socket commands open the ledgers themselves, so that a daemon which cannot have it runs all the same. */
export async function startControl(parts: ControlParts): Promise<AsyncDisposable | null> {
  const { config, log } = parts;
  const { data } = config;
  try {
    const socket = controlPath(config);
    if (socket === undefined) throw new AppError('usage', `The path of the data folder ${data} is too long for a socket in it.`);
    return await listen(parts, socket);
  } catch (error) {
    log.warn({
      event: 'control.unavailable',
      sentence: 'commands open the ledgers, and do not see what the daemon holds in memory',
      err: error,
    });
    return null;
  }
}

async function listen(parts: ControlParts, socket: string): Promise<AsyncDisposable> {
  const options: HttpOptions = {
    listen: { socket },
    socketMode: SOCKET_MODE,
    tls: null,
    behindProxy: false,
    bodyMax: BODY_BYTES_MAX,
    timeouts: TIMEOUTS,
    section: 'control',
  };
  const server = createHttpServer(options, {
    contentTypes: ['application/json'],
    answerError: async (error, _request, reply) => reply.status(400).send(lineOf({ error: errorOf(error) })),
    answerMalformed: async () => 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
  });
  server.server.maxConnections = CONNECTIONS_MAX;
  const { opened, log } = parts;
  server.post<{ Params: { name: string } }>('/operations/:name', async ({ params: { name }, headers, body }, reply) => {
    const version = headers[VERSION_HEADER];
    if (version !== VERSION)
      throw new AppError('usage', `The daemon runs Dropgate ${VERSION}, and this command is of ${version}: restart the daemon.`);
    if (!isOperation(name)) throw new AppError('missing', `There is no operation ${name}.`);
    return reply.type('application/x-ndjson').send(answered(opened, log, name, inputIn(body), callerIn(headers[CALLER_HEADER])));
  });
  await listenHttp(server, options);
  return {
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Runs to its end, though the command may have gone. */
function answered(opened: Opened, log: Log, name: OperationName, input: unknown, caller: string): PassThrough {
  const lines = new PassThrough();
  lines.on('error', () => undefined);
  const signs = setInterval(() => lines.write('\n'), SIGN_EVERY_MS);
  let toldAt = 0;
  const progress = (text: string): void => {
    if (performance.now() - toldAt < PROGRESS_EVERY_MS) return;
    toldAt = performance.now();
    lines.write(lineOf({ progress: text }));
  };
  opened
    .run(name, input, caller, progress)
    .then((answer) => lines.end(lineOf({ answer })))
    .catch((error: unknown) => {
      const { code } = toAppError(error);
      if (code === 'internal' || code === 'storage') log.error({ event: 'operation.failed', operation: name, err: error });
      lines.end(lineOf({ error: errorOf(error) }));
    })
    .finally(() => clearInterval(signs));
  return lines;
}

const CALLER_CHARACTERS_MAX = 200;

function callerIn(header: unknown): string {
  try {
    return decodeURIComponent(String(header ?? 'unknown')).slice(0, CALLER_CHARACTERS_MAX);
  } catch {
    return 'unknown';
  }
}

function inputIn(body: unknown): unknown {
  try {
    return JSON.parse(Buffer.isBuffer(body) ? body.toString() : '');
  } catch (error) {
    throw new AppError('bad-request', 'The input is no JSON.', { cause: error });
  }
}

function errorOf(error: unknown): NonNullable<ControlLine['error']> {
  // Fastify's own refusals.
  if (error instanceof Error && 'statusCode' in error)
    return { code: error.statusCode === 413 ? 'too-large' : 'bad-request', message: error.message };
  const { code, message, cause } = toAppError(error);
  return { code, message: code === 'internal' && cause instanceof Error ? `${message} (${cause.message})` : message };
}

function lineOf(line: ControlLine): string {
  return `${JSON.stringify(line)}\n`;
}
