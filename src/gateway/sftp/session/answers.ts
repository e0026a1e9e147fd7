// The answer to each request of SFTP: one table.
import { AppError } from '#domain/error.ts';
import { uint64 } from '#gateway/sftp/protocol/fields.ts';
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
import { lend } from '#gateway/sftp/ssh2/large-buffers.ts';
import { type Desk, listPath, refuseFolderRemoval, refuseNewFolder, removePath, spaceOf, statPath, touchPath } from './files.ts';
import type { Handles } from './handles.ts';
import { mustWrite, openPath } from './opening.ts';
import { renamePath } from './renaming.ts';
import { Upload } from './upload.ts';

/** What answers are made from: one per SFTP channel. */
export interface Visit {
  readonly desk: Desk;
  readonly handles: Handles;
}

type Answer<Name extends RequestName> = (visit: Visit, id: number, fields: Fields<Name>) => Buffer | Promise<Buffer>;

const ANSWERS: { readonly [Name in RequestName]: Answer<Name> } = {
  init: () => versionReply(),
  open: async ({ desk, handles }, id, { path, flags }) => handleReply(id, await handles.add(() => openPath(desk, path, flags))),
  opendir: async ({ desk, handles }, id, { path }) => handleReply(id, await handles.addListing(() => listPath(desk, path))),
  close: ({ handles }, id, { handle }) => done(id, handles.close(handle)),
  read: ({ handles }, id, { handle, offset, length }) => readFile(handles.file(handle), id, offset, length),
  write: ({ handles }, id, { handle, offset, data }) => done(id, handles.upload(handle).write(offset, data)),
  stat: async ({ desk }, id, { path }) => attributesReply(id, await statPath(desk, path)),
  lstat: async ({ desk }, id, { path }) => attributesReply(id, await statPath(desk, path)),
  fstat: async ({ handles }, id, { handle }) => attributesReply(id, handles.file(handle).stat()),
  setstat: async ({ desk }, id, { path, wish }) => {
    mustKeepSize(await statPath(desk, path), wish);
    if (wish.mtimeMs !== null) await touchPath(desk, path, wish.mtimeMs);
    return ok(id);
  },
  fsetstat: async ({ handles }, id, { handle, wish }) => {
    if (wish.size !== null) await handles.upload(handle).resize(wish.size);
    const open = handles.get(handle);
    if (wish.mtimeMs !== null && open instanceof Upload) open.touch(wish.mtimeMs);
    return ok(id);
  },
  readdir: async ({ desk, handles }, id, { handle }) => {
    const listed = await handles.listing(handle).next();
    return listed.length > 0 ? namesReply(id, listed, desk.clock.now()) : endOfFile(id);
  },
  remove: ({ desk }, id, { path }) => done(id, removePath(desk, path)),
  mkdir: ({ desk }, _id, { path }) => refuseNewFolder(desk, path),
  rmdir: ({ desk }, _id, { path }) => refuseFolderRemoval(desk, path),
  realpath: (_visit, id, { path }) => pathReply(id, formatPath(parsePath(path))),
  expandPath: (_visit, id, { path }) => pathReply(id, formatPath(parsePath(path.replace(/^~(?=\/|$)/, '')))),
  rename: ({ desk }, id, { from, to }) => done(id, renamePath(desk, from, to, false)),
  posixRename: ({ desk }, id, { from, to }) => done(id, renamePath(desk, from, to, true)),
  readlink: () => refuseLinks(),
  symlink: () => refuseLinks(),
  fsync: ({ handles }, id, { handle }) => done(id, handles.upload(handle).sync()),
  statvfs: async ({ desk }, id) => {
    const { bsize, blocks, bfree, bavail, files, ffree } = await spaceOf(desk);
    const numbers = [bsize, bsize, blocks, bfree, bavail, files, ffree, ffree, 0, 0, NAME_BYTES_MAX];
    return extendedReply(id, ...numbers.map(uint64));
  },
  limits: ({ handles }, id) => extendedReply(id, ...[PACKET_BYTES_MAX, READ_BYTES_MAX, READ_BYTES_MAX, handles.most].map(uint64)),
};

const NAME_BYTES_MAX = 255;

/** Does what a request asks, beginning before it returns; what is refused comes back as an `AppError` that is thrown. */
export async function answer(visit: Visit, { id, name, fields }: RequestHead): Promise<Buffer> {
  if (name === null) throw new AppError('not-implemented', 'this server does not know such a request; it speaks SFTP version 3');
  if (REQUESTS[name].writes && !AS_OPENED.has(name)) mustWrite(visit.desk);
  return perform(visit, id, name, fields);
}

/** OPEN says by its flags whether it means to write; CLOSE ends what OPEN was allowed. */
const AS_OPENED: ReadonlySet<RequestName> = new Set(['open', 'close']);

function perform<Name extends RequestName>(visit: Visit, id: number, name: Name, fields: RequestHead['fields']): Buffer | Promise<Buffer> {
  const reply: Answer<Name> = ANSWERS[name];
  return reply(visit, id, REQUESTS[name].parse(fields));
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
