// The PROXY protocol, versions 1 and 2: how a proxy says, before the client's own bytes, from which address the client comes.
import { isIP } from 'node:net';
import { plainAddress } from '#runtime/networks.ts';

type ProxyHeader =
  /** `address` is null when the proxy speaks for itself, as its health checks do, or cannot tell. */
  | { readonly is: 'there'; readonly bytes: number; readonly address: string | null }
  | { readonly is: 'unfinished' }
  | { readonly is: 'none' };

const NONE: ProxyHeader = { is: 'none' };
const UNFINISHED: ProxyHeader = { is: 'unfinished' };

/** Version 1: one line of text of up to 107 bytes. */
const LINE_BYTES_MAX = 107;
const LINE_START = Buffer.from('PROXY ');
/** Version 2: this signature, then version and command, family, and the length of the rest. */
const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const HEAD_BYTES = 16;
/** Of what follows the addresses nothing is used here; no proxy sends so much. */
const REST_BYTES_MAX = 2_048;
const COMMAND = { local: 0x20, proxy: 0x21 } as const;
const FAMILY = { ipv4: 0x11, ipv6: 0x21 } as const;

/** Reads what begins with `bytes`. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (startsAlike(bytes, SIGNATURE)) return bytes.length < HEAD_BYTES ? UNFINISHED : readBinary(bytes);
  if (startsAlike(bytes, LINE_START)) return readLine(bytes);
  return NONE;
}

/** Whether the shorter of the two is how the other begins. */
function startsAlike(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.subarray(0, length).equals(start.subarray(0, length));
}

function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, LINE_BYTES_MAX).indexOf('\r\n');
  if (end < 0) return bytes.length < LINE_BYTES_MAX ? UNFINISHED : NONE;
  const [, family, source = '', , sourcePort] = bytes.toString('latin1', 0, end).split(' ');
  const there = { is: 'there', bytes: end + 2 } as const;
  if (family === 'UNKNOWN') return { ...there, address: null };
  const version = isIP(source);
  const isMeant = (family === 'TCP4' && version === 4) || (family === 'TCP6' && version === 6);
  return isMeant && /^\d{1,5}$/.test(sourcePort ?? '') ? { ...there, address: plainAddress(source) } : NONE;
}

function readBinary(bytes: Buffer): ProxyHeader {
  const [command, family] = [bytes[12], bytes[13]];
  const length = bytes.readUInt16BE(14);
  if (length > REST_BYTES_MAX || (command !== COMMAND.local && command !== COMMAND.proxy)) return NONE;
  if (bytes.length < HEAD_BYTES + length) return UNFINISHED;
  const rest = bytes.subarray(HEAD_BYTES, HEAD_BYTES + length);
  const there = { is: 'there', bytes: HEAD_BYTES + length } as const;
  if (command === COMMAND.local) return { ...there, address: null };
  if (family === FAMILY.ipv4 && length >= 12) return { ...there, address: ipv4(rest.subarray(0, 4)) };
  if (family === FAMILY.ipv6 && length >= 36) return { ...there, address: plainAddress(ipv6(rest.subarray(0, 16))) };
  return { ...there, address: null };
}

function ipv4(bytes: Buffer): string {
  return [...bytes].join('.');
}

function ipv6(bytes: Buffer): string {
  return Array.from({ length: 8 }, (_, group) => bytes.readUInt16BE(group * 2).toString(16)).join(':');
}
