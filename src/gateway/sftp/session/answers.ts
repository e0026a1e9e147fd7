// The answer to each request of SFTP: one table.
import { AppError } from '#domain/error.ts';
import { uint64 } from '#gateway/sftp/protocol/fields.ts';
import { lend } from '#gateway/sftp/protocol/packet-buffers.ts';
import { PACKET_BYTES_MAX } from '#gateway/sftp/protocol/packets.ts';
import { formatPath, parsePath } from '#gateway/sftp/protocol/paths.ts';
import {
  attributesReply,
  DATA_HEAD_BYTES,
  dataReply,
  extendedReply,
  type Facts,
  handleReply,
  namesReply,
  pathReply,
  STATUS,
  statusReply,
  versionReply,
} from '#gateway/sftp/protocol/replies.ts';
import { type Fields, READ_BYTES_MAX, REQUESTS, type RequestHead, type RequestName, type Wish } from '#gateway/sftp/protocol/requests.ts';
import { listPath, makeFolder, removeFolder, removePath, type SessionContext, spaceOf, statPath, touchPath } from './files.ts';
import type { Handles } from './handles.ts';
import { mustWrite, openPath } from './opening.ts';
import { renamePath } from './renaming.ts';
import { Upload } from './upload.ts';

/** What the requests of one SFTP channel work on. */
export interface ChannelContext {
  readonly session: SessionContext;
  readonly handles: Handles;
}

type Answer<Name extends RequestName> = (channel: ChannelContext, id: number, fields: Fields<Name>) => Buffer | Promise<Buffer>;

const ANSWERS: { readonly [Name in RequestName]: Answer<Name> } = {
  init: () => versionReply(),
  open: async ({ session, handles }, id, { path, flags }) => handleReply(id, await handles.add(() => openPath(session, path, flags), path)),
  opendir: async ({ session, handles }, id, { path }) => handleReply(id, await handles.addListing(() => listPath(session, path), path)),
  close: ({ handles }, id, { handle }) => done(id, handles.close(handle)),
  read: ({ handles }, id, { handle, offset, length }) => readFile(handles.file(handle), id, offset, length),
  write: ({ handles }, id, { handle, offset, data }) => done(id, handles.upload(handle).write(offset, data)),
  stat: async ({ session }, id, { path }) => attributesReply(id, await statPath(session, path)),
  lstat: async ({ session }, id, { path }) => attributesReply(id, await statPath(session, path)),
  fstat: async ({ handles }, id, { handle }) => attributesReply(id, handles.file(handle).stat()),
  setstat: async ({ session }, id, { path, wish }) => {
    mustKeepSize(await statPath(session, path), wish);
    if (wish.mtimeMs !== null) await touchPath(session, path, wish.mtimeMs);
    return ok(id);
  },
  fsetstat: async ({ handles }, id, { handle, wish }) => {
    if (wish.size !== null) await handles.upload(handle).resize(wish.size);
    const open = handles.get(handle);
    if (wish.mtimeMs !== null && open instanceof Upload) open.touch(wish.mtimeMs);
    return ok(id);
  },
  readdir: async ({ session, handles }, id, { handle }) => {
    const listed = await handles.listing(handle).next();
    return listed.length > 0 ? namesReply(id, listed, session.clock.now()) : endOfFile(id);
  },
  remove: ({ session }, id, { path }) => done(id, removePath(session, path)),
  mkdir: ({ session }, id, { path }) => done(id, makeFolder(session, path)),
  rmdir: ({ session }, id, { path }) => done(id, removeFolder(session, path)),
  realpath: (_channel, id, { path }) => pathReply(id, formatPath(parsePath(path))),
  expandPath: (_channel, id, { path }) => pathReply(id, formatPath(parsePath(path.replace(/^~(?=\/|$)/, '')))),
  rename: ({ session }, id, { from, to }) => done(id, renamePath(session, from, to, false)),
  posixRename: ({ session }, id, { from, to }) => done(id, renamePath(session, from, to, true)),
  readlink: () => refuseLinks(),
  symlink: () => refuseLinks(),
  fsync: ({ handles }, id, { handle }) => done(id, handles.upload(handle).sync()),
  statvfs: async ({ session }, id) => {
    const { bsize, blocks, bfree, bavail, files, ffree } = await spaceOf(session);
    const numbers = [bsize, bsize, blocks, bfree, bavail, files, ffree, ffree, 0, 0, NAME_BYTES_MAX];
    return extendedReply(id, ...numbers.map(uint64));
  },
  limits: ({ session, handles }, id) => {
    session.closeAnswers.limitsAskedFor();
    return extendedReply(id, ...[PACKET_BYTES_MAX, READ_BYTES_MAX, READ_BYTES_MAX, handles.most].map(uint64));
  },
};

const NAME_BYTES_MAX = 255;

/** Answers a request, and begins its work before it returns. Throws an `AppError` for a request that is refused. */
export async function answer(channel: ChannelContext, { id, name, fields }: RequestHead): Promise<Buffer> {
  if (name === null) throw new AppError('not-implemented', 'this server does not know such a request; it speaks SFTP version 3');
  if (REQUESTS[name].writes && !AS_OPENED.has(name)) mustWrite(channel.session);
  return perform(channel, id, name, fields);
}

/** OPEN says by its flags whether it means to write; CLOSE ends what OPEN was allowed. */
const AS_OPENED: ReadonlySet<RequestName> = new Set(['open', 'close']);

function perform<Name extends RequestName>(
  channel: ChannelContext,
  id: number,
  name: Name,
  fields: RequestHead['fields'],
): Buffer | Promise<Buffer> {
  const reply: Answer<Name> = ANSWERS[name];
  return reply(channel, id, REQUESTS[name].parse(fields));
}

function ok(id: number): Buffer {
  return statusReply(id, STATUS.ok, '');
}

async function done(id: number, work: Promise<void>): Promise<Buffer> {
  await work;
  return ok(id);
}

function endOfFile(id: number): Buffer {
  return statusReply(id, STATUS.eof, 'end of file');
}

interface Readable {
  stat(): Facts;
  read(offset: number, into: Buffer, start: number): Promise<number>;
}

async function readFile(file: Readable, id: number, offset: number, length: number): Promise<Buffer> {
  const wanted = Math.min(length, file.stat().size - offset);
  if (wanted <= 0) return endOfFile(id);
  const buffer = lend(DATA_HEAD_BYTES + wanted);
  const count = await file.read(offset, buffer, DATA_HEAD_BYTES);
  return count > 0 ? dataReply(id, buffer, count) : endOfFile(id);
}

/** Modes and owners are acknowledged without effect: a dropped file is a document, not a copy of the client's file. Its time is shown for as long as it is. */
function mustKeepSize(facts: Facts, wish: Wish): void {
  if (wish.size !== null && wish.size !== facts.size)
    throw new AppError('forbidden', 'the size of a file can be changed while it is uploaded only; upload it anew');
}

function refuseLinks(): never {
  throw new AppError('not-implemented', 'there are no links here; put the file itself into inbox');
}
