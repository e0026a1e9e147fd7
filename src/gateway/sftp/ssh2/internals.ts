// The private parts of ssh2 that the patches use, as they are in the version that patches.ts names. Nothing else looks into ssh2.
import { createRequire } from 'node:module';
import type ssh2 from 'ssh2';

/** One key exchange. */
export interface KeyExchange {
  _remoteKexinit: Buffer;
  /** ssh2 would send its own EXT_INFO. */
  remoteExtInfoEnabled: boolean;
  negotiated: { kex: string };
  convertPublicKey: (key: Buffer) => Buffer;
  computeSecret: (key: Buffer) => Buffer | Error;
  getPublicKey: () => Buffer;
}

interface List {
  array: readonly string[];
}

interface OneWay {
  readonly cipher: List;
  readonly mac: List;
  readonly compress: List;
  readonly lang: List;
}

/** The algorithms that the server offers; all connections of a server share one. */
export interface OwnKexInit {
  readonly lists: { readonly kex: List; readonly serverHostKey: List; readonly cs: OneWay; readonly sc: OneWay };
}

/** The server's side of one connection. */
export interface Protocol {
  _offer: OwnKexInit;
  /** The KEXINIT that was sent, while keys are exchanged. */
  _kexinit: Buffer | undefined;
  readonly _kex: KeyExchange | undefined;
  readonly _cipher: { encrypt: (packet: Buffer) => void };
  readonly _decipher: { _onPayload: (payload: Buffer) => unknown };
  readonly _handlers: { SERVICE_REQUEST: (protocol: Protocol, service: string) => unknown };
  readonly _packetRW: {
    readonly write: { alloc: (bytes: number) => Buffer; readonly allocStart: number; finalize: (packet: Buffer) => Buffer };
  };
  channelOpenFail: (recipient: number, reason: number, sentence?: string) => unknown;
  serviceAccept: (service: string) => void;
}

interface Modules {
  readonly 'constants.js': { readonly SUPPORTED_KEX: string[] };
  /** By message number. */
  readonly 'handlers.js': (((protocol: Protocol, payload: Buffer) => unknown) | undefined)[];
  readonly 'kex.js': { readonly KexInit: new (lists: object) => OwnKexInit; readonly kexinit: (protocol: Protocol) => void };
  readonly 'crypto.js': {
    readonly bindingAvailable: boolean;
    readonly CIPHER_INFO: Readonly<Record<string, object>>;
    readonly createCipher: (config: object) => object;
    readonly createDecipher: (config: object) => object;
  };
}

const load = createRequire(import.meta.url);

export function loadInternal<Name extends keyof Modules>(name: Name): Modules[Name] {
  return load(`ssh2/lib/protocol/${name}`);
}

export function protocolOf(client: ssh2.Connection): Protocol {
  return Reflect.get(client, '_protocol');
}

export function installedVersion(): string {
  return load('ssh2/package.json').version;
}
