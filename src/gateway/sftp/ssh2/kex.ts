// Teaches ssh2's server the key exchange that it lacks: `mlkem768x25519-sha256` runs in the frame of its curve25519 exchange.
// ssh2 has no place for that, so a few of its internal parts are touched here, each checked before it is.
import { createRequire } from 'node:module';
import type ssh2 from 'ssh2';
import { string } from '#gateway/sftp/protocol/fields.ts';
import { readKexInit } from './client-kexinit.ts';
import { answerHybrid, HYBRID } from './hybrid.ts';
import { property } from './property.ts';
import { allowMessagesDuringRekey } from './rekey.ts';

/** The exchange that ssh2 has, with the same messages and the same hash. */
const FRAME = 'curve25519-sha256';
const KEXINIT = 20;
/** The type, and the cookie (RFC 4253 §7.1). */
const KEXINIT_HEAD_BYTES = 17;

/** One exchange of ssh2's: what is replaced for ours. */
interface Exchange {
  _remoteKexinit: Buffer;
  negotiated: { kex: string };
  convertPublicKey: (key: Buffer) => Buffer;
  computeSecret: (key: Buffer) => Buffer | Error;
  getPublicKey: () => Buffer;
}

interface Protocol {
  readonly _server: true;
  readonly _offer: { readonly lists: { readonly kex: { array: string[] } } };
  readonly _kex: Exchange | undefined;
}

type Handler = (protocol: unknown, payload: Buffer) => unknown;

/** To be called before a server is made that offers the exchange. Throws when this ssh2 is built in another way. */
export function teachHybrid(): void {
  const load = createRequire(import.meta.url);
  const constants: unknown = load('ssh2/lib/protocol/constants.js');
  const handlers: unknown = load('ssh2/lib/protocol/handlers.js');
  const supported = property(constants, 'SUPPORTED_KEX');
  if (!Array.isArray(supported) || !Array.isArray(handlers)) throw new TypeError('ssh2 is built in another way than is known here');
  if (supported.includes(HYBRID)) return;
  supported.push(HYBRID);
  // Exchanges that come later in a connection.
  const renew: Handler = handlers[KEXINIT];
  handlers[KEXINIT] = (protocol: unknown, payload: Buffer): unknown => {
    const result = negotiate(protocol, payload, (read) => renew(protocol, read));
    allowMessagesDuringRekey(protocol, handlers);
    return result;
  };
}

export interface FirstExchange {
  /** The client takes EXT_INFO (RFC 8308), and ssh2 does not send its own. */
  readonly takesExtInfo: boolean;
}

/** The first exchange of a connection; to be called as soon as the client has greeted. */
export function watchFirstExchange(client: ssh2.Connection): FirstExchange {
  let takesExtInfo = false;
  const protocol = property(client, '_protocol');
  const decipher = property(protocol, '_decipher');
  const receive = property(decipher, '_onPayload');
  if (typeof decipher === 'object' && decipher !== null && typeof receive === 'function') {
    Reflect.set(decipher, '_onPayload', (payload: Buffer): unknown => {
      if (payload[0] !== KEXINIT) return receive(payload);
      const result = negotiate(protocol, payload, (read) => receive(read));
      const exchange = property(protocol, '_kex');
      takesExtInfo = property(exchange, 'remoteExtInfoEnabled') === true;
      if (typeof exchange === 'object' && exchange !== null) Reflect.set(exchange, 'remoteExtInfoEnabled', false);
      return result;
    });
  }
  return {
    get takesExtInfo() {
      return takesExtInfo;
    },
  };
}

/**
 * `proceed` is ssh2's own negotiation. When ours is what client and server agree on, ssh2 reads that they agree on the frame, and
 * what it then makes of it is filled anew. Everything else is left as it is.
 */
function negotiate(protocol: unknown, payload: Buffer, proceed: (payload: Buffer) => unknown): unknown {
  const offered = readKexInit(payload)?.kex;
  if (!isServerProtocol(protocol) || !offered) return proceed(payload);
  const { kex } = protocol._offer.lists;
  const ours = kex.array;
  if (offered.find((name) => ours.includes(name)) !== HYBRID) return proceed(payload);

  const before = protocol._kex;
  // All connections share this list; ssh2 reads it before it returns.
  kex.array = ours.map((name) => (name === HYBRID ? FRAME : name)).filter((name, at, all) => all.indexOf(name) === at);
  let result: unknown;
  try {
    result = proceed(withFrame(payload));
  } finally {
    kex.array = ours;
  }
  if (protocol._kex && protocol._kex !== before) fill(protocol._kex, payload);
  return result;
}

/** The client's KEXINIT with the frame's name instead of ours. */
function withFrame(payload: Buffer): Buffer {
  const length = payload.readUInt32BE(KEXINIT_HEAD_BYTES);
  const end = KEXINIT_HEAD_BYTES + 4 + length;
  const names = payload.toString('latin1', KEXINIT_HEAD_BYTES + 4, end).split(',');
  const framed = string(names.map((name) => (name === HYBRID ? FRAME : name)).join(','));
  return Buffer.concat([payload.subarray(0, KEXINIT_HEAD_BYTES), framed, payload.subarray(end)]);
}

function fill(exchange: Exchange, payload: Buffer): void {
  let share: Buffer = Buffer.alloc(0);
  exchange._remoteKexinit = payload;
  exchange.negotiated.kex = HYBRID;
  exchange.convertPublicKey = (key) => key;
  exchange.computeSecret = (key) => {
    try {
      const answer = answerHybrid(key);
      share = answer.share;
      return answer.secret;
    } catch (error) {
      return error instanceof Error ? error : new Error('the key exchange failed');
    }
  };
  // ssh2 asks for it after the secret.
  exchange.getPublicKey = () => share;
}

function isServerProtocol(value: unknown): value is Protocol {
  return (
    property(value, '_server') === true && Array.isArray(property(property(property(property(value, '_offer'), 'lists'), 'kex'), 'array'))
  );
}
