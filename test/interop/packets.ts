// What the replayed clients are made of: SFTP requests over ssh2's transport, each of which throws the server's sentence when it is refused.
import { closeSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import type { AuthHandlerMiddleware, Client, ConnectConfig } from 'ssh2';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { OPEN_FLAG } from '#gateway/sftp/protocol/requests.ts';
import { connect, type Ran } from '../support/sftp-clients.ts';
import { RawSftp, type Reply, TYPE } from '../support/sftp-raw.ts';
import { PASSWORD } from '../support/sftp-server.ts';
import type { Door } from './client.ts';

const PIECE_BYTES = 32 * 1024;
const STATUS_REPLY = 101;
const END_OF_FILE = 1;

export const WRITE_ANEW = OPEN_FLAG.write | OPEN_FLAG.create | OPEN_FLAG.truncate;
export const WRITE_ON = OPEN_FLAG.write | OPEN_FLAG.create;

/** Logs in as PuTTY and FileZilla do. */
const keyboard =
  ({ login }: Door): AuthHandlerMiddleware =>
  (_methods, _partial, next) =>
    next({
      type: 'keyboard-interactive',
      username: login,
      prompt: (_name, _instructions, _language, prompts, finish) => finish(prompts.map(() => PASSWORD)),
    });

export interface Session {
  readonly sftp: RawSftp;
  /** One further key exchange. */
  rekey(): Promise<void>;
}

export interface SessionOptions {
  readonly keyboardInteractive?: boolean;
}

/** Runs `act` in a session of its own, as a program would: exit status 0, or 1 and the error. */
export async function session(
  door: Door,
  { keyboardInteractive = false }: SessionOptions,
  act: (session: Session) => Promise<unknown>,
): Promise<Ran> {
  const config: ConnectConfig = keyboardInteractive ? { authHandler: keyboard(door) } : {};
  const client = await connect(door, config).catch((error: unknown) => String(error));
  if (typeof client === 'string') return { status: 1, out: '', err: client };
  // A connection that breaks answers nothing more.
  const broken = new Promise<never>((_, reject) => client.once('close', () => reject(new Error('the connection was lost'))));
  broken.catch(() => undefined);
  try {
    const out = await Promise.race([RawSftp.open(client).then((sftp) => act({ sftp, rekey: () => rekey(client) })), broken]);
    return { status: 0, out: typeof out === 'string' ? out : '', err: '' };
  } catch (error) {
    return { status: 1, out: '', err: String(error) };
  } finally {
    client.end();
  }
}

/** Exchanges keys once more, which ssh2's client can, but does not offer. */
export function rekey(client: Client): Promise<void> {
  const protocol: unknown = Reflect.get(client, '_protocol');
  const exchange: unknown = typeof protocol === 'object' && protocol ? Reflect.get(protocol, 'rekey') : undefined;
  if (typeof exchange !== 'function') throw new Error('this ssh2 cannot exchange keys anew');
  return new Promise((resolve) => {
    client.once('handshake', () => resolve());
    exchange.call(protocol);
  });
}

export async function must(sftp: RawSftp, type: number, ...fields: readonly Buffer[]): Promise<void> {
  const { code, sentence } = await sftp.status(type, ...fields);
  if (code !== 0) throw new Error(`request ${type}: status ${code}: ${sentence}`);
}

export const remove = (sftp: RawSftp, path: string): Promise<void> => must(sftp, TYPE.remove, name(path));
export const rename = (sftp: RawSftp, from: string, to: string): Promise<void> => must(sftp, TYPE.rename, name(from), name(to));
export const makeFolder = (sftp: RawSftp, path: string): Promise<void> => must(sftp, TYPE.mkdir, name(path), uint32(0));
export const posixRename = (sftp: RawSftp, from: string, to: string): Promise<void> =>
  must(sftp, TYPE.extended, string('posix-rename@openssh.com'), name(from), name(to));

/** SETSTAT of access and change time. */
export function setTimes(sftp: RawSftp, path: string): Promise<void> {
  return must(sftp, TYPE.setstat, name(path), uint32(8), uint32(1_772_445_600), uint32(1_772_445_600));
}

/** SETSTAT of permissions. */
export function setMode(sftp: RawSftp, path: string): Promise<void> {
  return must(sftp, TYPE.setstat, name(path), uint32(4), uint32(0o100640));
}

export async function realPath(sftp: RawSftp, path: string): Promise<void> {
  const { type } = await sftp.ask(TYPE.realpath, name(path));
  if (type !== 104) throw new Error(`REALPATH was answered with type ${type}`);
}

/** The size, or undefined where nothing is. */
export async function sizeOf(sftp: RawSftp, path: string): Promise<number | undefined> {
  const size = await sftp.sizeOf(Buffer.from(path).toString('latin1'));
  return typeof size === 'number' ? size : undefined;
}

export async function open(sftp: RawSftp, path: string, flags: number): Promise<Buffer> {
  const reply = await sftp.ask(TYPE.open, name(path), uint32(flags), uint32(0));
  if (reply.type === STATUS_REPLY) throw new Error(sentenceOf(reply));
  return reply.fields.bytes();
}

/** Writes the file from `start` on, `inFlight` pieces at a time, as clients do; `between` runs once on the way. */
export async function write(
  sftp: RawSftp,
  handle: Buffer,
  local: string,
  start: number,
  inFlight: number,
  between = async () => {},
): Promise<void> {
  const bytes = statSync(local).size;
  const source = openSync(local, 'r');
  const waiting: Promise<void>[] = [];
  try {
    for (let at = start, number = 0; at < bytes; at += PIECE_BYTES, number++) {
      const piece = Buffer.alloc(Math.min(PIECE_BYTES, bytes - at));
      readSync(source, piece, 0, piece.length, at);
      const written = must(sftp, TYPE.write, string(handle), uint64(at), string(piece));
      written.catch(() => undefined);
      waiting.push(written);
      if (waiting.length >= inFlight) await waiting.shift();
      if (number === 8) await between();
    }
    await Promise.all(waiting);
  } finally {
    closeSync(source);
  }
}

export const close = (sftp: RawSftp, handle: Buffer): Promise<void> => must(sftp, TYPE.close, string(handle));

/** The long names, which FileZilla reads, and the names. */
export async function list(sftp: RawSftp, folder: string): Promise<{ name: string; longName: string }[]> {
  const opened = await sftp.ask(TYPE.opendir, name(folder));
  if (opened.type === STATUS_REPLY) throw new Error(sentenceOf(opened));
  const handle = opened.fields.bytes();
  const entries: { name: string; longName: string }[] = [];
  for (;;) {
    const { type, fields } = await sftp.ask(TYPE.readdir, string(handle));
    if (type === STATUS_REPLY) break;
    for (let left = fields.uint32(); left > 0; left--) {
      const entry = { name: fields.bytes().toString(), longName: fields.bytes().toString() };
      // flags, size, owner and group, permissions, two times
      for (let words = 8; words > 0; words--) fields.uint32();
      entries.push(entry);
    }
  }
  await close(sftp, handle);
  return entries;
}

/** Reads the file, `inFlight` pieces at a time. */
export async function download(sftp: RawSftp, path: string, local: string, inFlight: number): Promise<void> {
  const size = await sizeOf(sftp, path);
  const handle = await open(sftp, path, OPEN_FLAG.read);
  const pieces: Buffer[] = [];
  const waiting: Promise<Reply>[] = [];
  const take = async (): Promise<void> => {
    const reply = await waiting.shift();
    if (reply && reply.type !== STATUS_REPLY) pieces.push(Buffer.from(reply.fields.bytes()));
    else if (reply && reply.fields.uint32() !== END_OF_FILE) throw new Error('READ was refused');
  };
  for (let at = 0; at < (size ?? 0); at += PIECE_BYTES) {
    waiting.push(sftp.ask(TYPE.read, string(handle), uint64(at), uint32(PIECE_BYTES)));
    if (waiting.length >= inFlight) await take();
  }
  while (waiting.length > 0) await take();
  await close(sftp, handle);
  writeFileSync(local, Buffer.concat(pieces));
}

/** A path as bytes on the wire. */
function name(path: string): Buffer {
  return string(Buffer.from(path));
}

function sentenceOf({ fields }: Reply): string {
  return `status ${fields.uint32()}: ${fields.bytes().toString()}`;
}
