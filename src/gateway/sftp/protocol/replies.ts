// The replies of SFTP version 3 as bytes: status, handle, data, names, attributes, and the line of `ls -l` that clients show.
import type { ByteName } from '#gateway/model/intake.ts';
import { string, uint32, uint64 } from './fields.ts';
import { ATTRIBUTE, EXTENSIONS, VERSION } from './requests.ts';

/** Status codes (§7). */
export const STATUS = { ok: 0, eof: 1, noSuchFile: 2, permissionDenied: 3, failure: 4, badMessage: 5, unsupported: 8 } as const;
export type Status = (typeof STATUS)[keyof typeof STATUS];

const TYPE = { version: 2, status: 101, handle: 102, data: 103, name: 104, attributes: 105, extended: 201 } as const;

/** What clients are told of a file or folder. */
export interface Facts {
  readonly kind: 'file' | 'folder';
  readonly size: number;
  readonly mtimeMs: number;
}

export interface Listed extends Facts {
  readonly name: ByteName;
}

export function versionReply(): Buffer {
  return packet(TYPE.version, uint32(VERSION), ...EXTENSIONS.flatMap(([name, data]) => [string(name), string(data)]));
}

/** `sentence` is what WinSCP, psftp, lftp, paramiko and others show to their user. */
export function statusReply(id: number, status: Status, sentence: string): Buffer {
  return packet(TYPE.status, uint32(id), uint32(status), string(Buffer.from(sentence)), LANGUAGE);
}

export function handleReply(id: number, handle: string): Buffer {
  return packet(TYPE.handle, uint32(id), string(handle));
}

export function attributesReply(id: number, facts: Facts): Buffer {
  return packet(TYPE.attributes, uint32(id), attributes(facts));
}

/** One name without attributes that mean anything: the answer to REALPATH. */
export function pathReply(id: number, path: ByteName): Buffer {
  return packet(TYPE.name, uint32(id), uint32(1), string(path), string(path), uint32(0));
}

export function namesReply(id: number, listed: readonly Listed[], nowMs: number): Buffer {
  const entries = listed.flatMap((entry) => [string(entry.name), string(longName(entry, nowMs)), attributes(entry)]);
  return packet(TYPE.name, uint32(id), uint32(listed.length), ...entries);
}

export function extendedReply(id: number, ...numbers: readonly Buffer[]): Buffer {
  return packet(TYPE.extended, uint32(id), ...numbers);
}

/** Bytes that a DATA packet has before the data: so that a file can be read straight into its reply. */
export const DATA_HEAD_BYTES = 13;

/** Completes a DATA packet whose data was read into `buffer` behind its head. */
export function dataReply(id: number, buffer: Buffer, length: number): Buffer {
  buffer.writeUInt32BE(DATA_HEAD_BYTES - 4 + length, 0);
  buffer[4] = TYPE.data;
  buffer.writeUInt32BE(id, 5);
  buffer.writeUInt32BE(length, 9);
  return buffer.subarray(0, DATA_HEAD_BYTES + length);
}

const LANGUAGE = string('en');
const SIX_MONTHS_MS = 182 * 86_400_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `S_IFREG` or `S_IFDIR`, and what owner and group may do. */
const PERMISSIONS = { file: 0o100640, folder: 0o040750 } as const;
const MODE_TEXT = { file: '-rw-r-----', folder: 'drwxr-x---' } as const;

function attributes({ kind, size, mtimeMs }: Facts): Buffer {
  const seconds = uint32(unixSeconds(mtimeMs));
  const given = uint32(ATTRIBUTE.size | ATTRIBUTE.owner | ATTRIBUTE.permissions | ATTRIBUTE.times);
  return Buffer.concat([given, uint64(size), uint32(0), uint32(0), uint32(PERMISSIONS[kind]), seconds, seconds]);
}

/** A line of `ls -l`. FileZilla tells folders from files by its first letter, others take date and size from it. */
export function longName({ name, kind, size, mtimeMs }: Listed, nowMs: number): ByteName {
  const date = new Date(unixSeconds(mtimeMs) * 1000);
  const day = `${MONTHS[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2)}`;
  const isRecent = Math.abs(nowMs - mtimeMs) < SIX_MONTHS_MS;
  const when = isRecent ? date.toISOString().slice(11, 16) : ` ${date.getUTCFullYear()}`;
  return `${MODE_TEXT[kind]}    1 dropgate dropgate ${String(size).padStart(12)} ${day} ${when} ${name}`;
}

/** Version 3 carries unsigned 32-bit seconds. */
function unixSeconds(ms: number): number {
  return Math.min(Math.max(Math.floor(ms / 1000), 0), 0xffffffff);
}

function packet(type: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 1);
  const head = Buffer.allocUnsafe(5);
  head.writeUInt32BE(length, 0);
  head[4] = type;
  return Buffer.concat([head, ...parts], 4 + length);
}
