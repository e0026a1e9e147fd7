// The requests of SFTP version 3 (draft-ietf-secsh-filexfer-02) and of the OpenSSH extensions that are offered: one table, pure bytes.
import { FieldReader } from './fields.ts';

export const VERSION = 3;
/** What one READ may return: the largest reply that fits OpenSSH's packet with room for its head. */
export const READ_BYTES_MAX = 255 * 1024;

/** `pflags` of OPEN (§6.3). */
export const OPEN_FLAG = { read: 0x01, write: 0x02, append: 0x04, create: 0x08, truncate: 0x10, exclusive: 0x20 } as const;

/** What SETSTAT asks for, as far as it matters: everything else is acknowledged and ignored. */
export interface Wish {
  readonly size: number | null;
  readonly mtimeMs: number | null;
}

interface Requests {
  init: { version: number };
  open: { path: string; flags: number };
  close: { handle: string };
  read: { handle: string; offset: number; length: number };
  write: { handle: string; offset: number; data: Buffer };
  lstat: { path: string };
  fstat: { handle: string };
  setstat: { path: string; wish: Wish };
  fsetstat: { handle: string; wish: Wish };
  opendir: { path: string };
  readdir: { handle: string };
  remove: { path: string };
  mkdir: { path: string };
  rmdir: { path: string };
  realpath: { path: string };
  stat: { path: string };
  rename: { from: string; to: string };
  readlink: { path: string };
  symlink: { path: string };
  posixRename: { from: string; to: string };
  fsync: { handle: string };
  statvfs: { path: string };
  limits: object;
  expandPath: { path: string };
}

export type RequestName = keyof Requests;
export type Fields<Name extends RequestName> = Readonly<Requests[Name]>;

/** What a request acts on. Requests on paths are answered in their order. */
type Aim = 'handle' | 'path' | 'none';

interface RequestKind<Name extends RequestName> {
  /** The packet type, or the name of the extended request. */
  readonly type: number | string;
  readonly aim: Aim;
  /** Whether it means to change something. */
  readonly writes: boolean;
  readonly parse: (fields: FieldReader) => Fields<Name>;
}

const path = (fields: FieldReader) => ({ path: fields.text() });
const handle = (fields: FieldReader) => ({ handle: fields.text() });
const rename = (fields: FieldReader) => ({ from: fields.text(), to: fields.text() });

export const REQUESTS: { readonly [Name in RequestName]: RequestKind<Name> } = {
  init: { type: 1, aim: 'none', writes: false, parse: (fields) => ({ version: fields.uint32() }) },
  open: { type: 3, aim: 'path', writes: true, parse: (fields) => ({ path: fields.text(), flags: fields.uint32() }) },
  close: { type: 4, aim: 'handle', writes: true, parse: handle },
  read: {
    type: 5,
    aim: 'handle',
    writes: false,
    parse: (fields) => ({ handle: fields.text(), offset: fields.uint64(), length: Math.min(fields.uint32(), READ_BYTES_MAX) }),
  },
  write: {
    type: 6,
    aim: 'handle',
    writes: true,
    parse: (fields) => ({ handle: fields.text(), offset: fields.uint64(), data: fields.bytes() }),
  },
  lstat: { type: 7, aim: 'path', writes: false, parse: path },
  fstat: { type: 8, aim: 'handle', writes: false, parse: handle },
  setstat: { type: 9, aim: 'path', writes: true, parse: (fields) => ({ path: fields.text(), wish: wish(fields) }) },
  fsetstat: { type: 10, aim: 'handle', writes: true, parse: (fields) => ({ handle: fields.text(), wish: wish(fields) }) },
  opendir: { type: 11, aim: 'path', writes: false, parse: path },
  readdir: { type: 12, aim: 'handle', writes: false, parse: handle },
  remove: { type: 13, aim: 'path', writes: true, parse: path },
  mkdir: { type: 14, aim: 'path', writes: true, parse: path },
  rmdir: { type: 15, aim: 'path', writes: true, parse: path },
  realpath: { type: 16, aim: 'path', writes: false, parse: path },
  stat: { type: 17, aim: 'path', writes: false, parse: path },
  rename: { type: 18, aim: 'path', writes: true, parse: rename },
  readlink: { type: 19, aim: 'path', writes: false, parse: path },
  symlink: { type: 20, aim: 'path', writes: true, parse: path },
  posixRename: { type: 'posix-rename@openssh.com', aim: 'path', writes: true, parse: rename },
  fsync: { type: 'fsync@openssh.com', aim: 'handle', writes: true, parse: handle },
  statvfs: { type: 'statvfs@openssh.com', aim: 'path', writes: false, parse: path },
  limits: { type: 'limits@openssh.com', aim: 'none', writes: false, parse: () => ({}) },
  expandPath: { type: 'expand-path@openssh.com', aim: 'path', writes: false, parse: path },
};

/** What VERSION announces: name and data of each extension. JSch uses posix-rename only when its data is exactly "1". */
export const EXTENSIONS: readonly (readonly [name: string, data: string])[] = [
  ['posix-rename@openssh.com', '1'],
  ['statvfs@openssh.com', '2'],
  ['fsync@openssh.com', '1'],
  ['limits@openssh.com', '1'],
  ['expand-path@openssh.com', '1'],
];

/** Which attributes are given (§5). */
export const ATTRIBUTE = { size: 0x01, owner: 0x02, permissions: 0x04, times: 0x08 } as const;

const EXTENDED = 200;

const NAMES: ReadonlyMap<unknown, RequestName> = new Map(
  Object.entries(REQUESTS).flatMap(([name, { type }]) => (isRequestName(name) ? [[type, name]] : [])),
);

/** The parts that all requests have. */
export interface RequestHead {
  /** Comes back with the reply. */
  readonly id: number;
  /** Null for a request that this server does not know. */
  readonly name: RequestName | null;
  /** Stands at the request's own fields. */
  readonly fields: FieldReader;
}

/** Throws `bad-request` when there is not even an id to answer to. */
export function readHead(packet: Buffer): RequestHead {
  const type = packet[0];
  const fields = new FieldReader(packet, 1);
  // INIT is the one packet without an id (§4).
  const id = type === REQUESTS.init.type ? 0 : fields.uint32();
  return { id, name: NAMES.get(type === EXTENDED ? fields.text() : type) ?? null, fields };
}

function isRequestName(name: string): name is RequestName {
  return name in REQUESTS;
}

/** ATTRS (§5): flags, then what they say is given: size, user and group, permissions, times of access and change. */
function wish(fields: FieldReader): Wish {
  const flags = fields.uint32();
  const size = flags & ATTRIBUTE.size ? fields.uint64() : null;
  if (flags & ATTRIBUTE.owner) fields.uint64();
  if (flags & ATTRIBUTE.permissions) fields.uint32();
  if (!(flags & ATTRIBUTE.times)) return { size, mtimeMs: null };
  fields.uint32();
  return { size, mtimeMs: fields.uint32() * 1000 };
}
