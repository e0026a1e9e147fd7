// A DNS server on loopback (RFC 1035), whose answers are scripted: A, AAAA and NAPTR records, or none.
import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

const A = 1;
const AAAA = 28;
const NAPTR = 35;
const HEADER_BYTES = 12;
const SERVFAIL = 2;
const NXDOMAIN = 3;

export interface NameServer extends AsyncDisposable {
  /** For `outbound.dns`. */
  readonly address: string;
  /** Names that were asked for, in order, each with `A`, `AAAA` or `NAPTR`. */
  readonly asked: string[];
}

/** Addresses of a name; undefined is NXDOMAIN. */
export type Zone = (name: string, type: 'A' | 'AAAA') => readonly string[] | undefined;

/** RFC 3403. */
export interface Naptr {
  readonly order: number;
  readonly preference: number;
  readonly flags: string;
  readonly service: string;
  readonly regexp: string;
}

/** Records of a name; undefined is NXDOMAIN. */
export type NaptrZone = (name: string) => readonly Naptr[] | 'servfail' | undefined;

const TYPES: ReadonlyMap<number, 'A' | 'AAAA' | 'NAPTR'> = new Map([
  [A, 'A'],
  [AAAA, 'AAAA'],
  [NAPTR, 'NAPTR'],
]);

export async function startNameServer(zone: Zone, naptr: NaptrZone = () => []): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, end } = questionOf(query);
    const type = query.readUInt16BE(end);
    const kind = TYPES.get(type);
    if (kind) asked.push(`${name} ${kind}`);
    const found = kind === 'NAPTR' ? naptr(name) : kind ? zone(name, kind) : [];
    const code = found === undefined ? NXDOMAIN : found === 'servfail' ? SERVFAIL : 0;
    const records = (found === 'servfail' ? [] : (found ?? [])).map((each) => recordOf(type, dataOf(type, each)));
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    // Response, authoritative, recursion available.
    header.writeUInt16BE(0x8580 | code, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end + 4), ...records]), from.port, from.address);
  });
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  const { port } = socket.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise((closed) => socket.close(() => closed())),
  };
}

function questionOf(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function dataOf(type: number, record: string | Naptr): Buffer {
  if (typeof record === 'string') return type === A ? Buffer.from(record.split('.').map(Number)) : ipv6Bytes(record);
  const fixed = Buffer.alloc(4);
  fixed.writeUInt16BE(record.order, 0);
  fixed.writeUInt16BE(record.preference, 2);
  // The replacement is the root: a terminal record has none.
  return Buffer.concat([fixed, ...[record.flags, record.service, record.regexp].map(characterString), Buffer.alloc(1)]);
}

function characterString(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
}

function recordOf(type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(12);
  // The name is that of the question; class IN; no time to live.
  fixed.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  fixed.writeUInt16BE(type, 2);
  fixed.writeUInt16BE(1, 4);
  fixed.writeUInt16BE(data.length, 10);
  return Buffer.concat([fixed, data]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const [first, last] = [groups(head), groups(tail)];
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => '0'), ...last];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
