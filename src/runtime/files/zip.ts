// A ZIP archive of a few short texts, made in memory (APPNOTE.TXT 6.3.10): nothing is compressed, names are UTF-8, and Unix finds who may run what.
import { crc32 } from 'node:zlib';

export interface ZipEntry {
  /** With slashes, from the top of the archive. */
  readonly path: string;
  readonly text: string;
  /** To be run, not read. */
  readonly isProgram: boolean;
}

/** 2.0: folders in names. */
const VERSION = 20;
const MADE_ON_UNIX = 3 << 8;
/** Bit 11: the name is UTF-8. */
const FLAGS = 0x0800;
const LOCAL_HEAD_BYTES = 30;
const CENTRAL_HEAD_BYTES = 46;
const END_BYTES = 22;
/** A regular file, as `st_mode` has it. */
const MODES = { read: 0o100644, run: 0o100755 } as const;

/** All entries are of `atMs`, in UTC. The same entries make the same bytes. */
export function zipOf(entries: readonly ZipEntry[], atMs: number): Buffer {
  const at = dosTime(atMs);
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { path, text, isProgram } of entries) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(text)];
    const common = commonHead(at, crc32(bytes), bytes.length, name.length);
    const local = Buffer.concat([localHead(common), name, bytes]);
    centrals.push(centralHead(common, isProgram ? MODES.run : MODES.read, offset), name);
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  return Buffer.concat([...locals, directory, end(entries.length, directory.length, offset)]);
}

/** What stands in both heads of an entry, from "version needed to extract" to "extra field length". */
function commonHead({ time, date }: DosTime, crc: number, bytes: number, nameBytes: number): Buffer {
  const head = Buffer.alloc(LOCAL_HEAD_BYTES - 4);
  head.writeUInt16LE(VERSION, 0);
  head.writeUInt16LE(FLAGS, 2);
  head.writeUInt16LE(time, 6);
  head.writeUInt16LE(date, 8);
  head.writeUInt32LE(crc, 10);
  head.writeUInt32LE(bytes, 14);
  head.writeUInt32LE(bytes, 18);
  head.writeUInt16LE(nameBytes, 22);
  return head;
}

function localHead(common: Buffer): Buffer {
  return Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common]);
}

function centralHead(common: Buffer, mode: number, offset: number): Buffer {
  const head = Buffer.alloc(CENTRAL_HEAD_BYTES);
  head.write('PK\x01\x02', 'latin1');
  head.writeUInt16LE(MADE_ON_UNIX | VERSION, 4);
  common.copy(head, 6);
  head.writeUInt32LE(mode * 0x1_0000, 38);
  head.writeUInt32LE(offset, 42);
  return head;
}

function end(entries: number, directoryBytes: number, offset: number): Buffer {
  const head = Buffer.alloc(END_BYTES);
  head.write('PK\x05\x06', 'latin1');
  head.writeUInt16LE(entries, 8);
  head.writeUInt16LE(entries, 10);
  head.writeUInt32LE(directoryBytes, 12);
  head.writeUInt32LE(offset, 16);
  return head;
}

interface DosTime {
  readonly time: number;
  readonly date: number;
}

/** By two seconds, from 1980 on. */
function dosTime(atMs: number): DosTime {
  const at = new Date(atMs);
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((at.getUTCFullYear() - 1_980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}
