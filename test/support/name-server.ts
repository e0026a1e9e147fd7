// A DNS server on loopback (RFC 1035), whose answers are scripted: A and AAAA records, or none.
import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

const A = 1;
const AAAA = 28;
const HEADER_BYTES = 12;
const NXDOMAIN = 3;

export interface NameServer extends AsyncDisposable {
  /** For `outbound.dns`. */
  readonly address: string;
  /** Names that were asked for, in order, each with `A` or `AAAA`. */
  readonly asked: string[];
}

/** Addresses of a name; undefined is NXDOMAIN. */
export type Zone = (name: string, type: 'A' | 'AAAA') => readonly string[] | undefined;

export async function startNameServer(zone: Zone): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, end } = questionOf(query);
    const type = query.readUInt16BE(end);
    if (type === A || type === AAAA) asked.push(`${name} ${type === A ? 'A' : 'AAAA'}`);
    const found = type === A || type === AAAA ? zone(name, type === A ? 'A' : 'AAAA') : [];
    const records = (found ?? []).map((address) => recordOf(type, address));
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    // Response, authoritative, recursion available.
    header.writeUInt16BE(0x8580 | (found === undefined ? NXDOMAIN : 0), 2);
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

function recordOf(type: number, address: string): Buffer {
  const data = type === A ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
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
