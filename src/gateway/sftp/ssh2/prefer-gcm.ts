// AES-GCM for OpenSSH's client, which has it but likes AES-CTR better, at half again the CPU for us. The client's order decides (RFC 4253
// §7.1), so our offer is held back until its own has come, and leaves out everything else when it takes AES-GCM. OpenSSH never waits for
// our offer; other clients might, and are sent it at once.
import { createRequire } from 'node:module';
import type ssh2 from 'ssh2';
import { readKexInit } from './client-kexinit.ts';
import { property } from './property.ts';

const KEXINIT = 20;
/** Where the message number stands in an unencrypted packet (RFC 4253 §6): behind its length and that of its padding. */
const NUMBER_AT = 5;
const KEX: unknown = createRequire(import.meta.url)('ssh2/lib/protocol/kex.js');
const LISTS = ['cipher', 'mac', 'compress', 'lang'] as const;

/** To be called when the client has greeted. Does nothing where ssh2 is built in another way than is known here. */
export function preferGcm(client: ssh2.Connection, software: string): void {
  const protocol = property(client, '_protocol');
  const [cipher, decipher] = [property(protocol, '_cipher'), property(protocol, '_decipher')];
  const [send, receive] = [property(cipher, 'encrypt'), property(decipher, '_onPayload')];
  if (!software.startsWith('OpenSSH_') || !isObject(protocol) || !isObject(cipher) || !isObject(decipher)) return;
  if (typeof send !== 'function' || typeof receive !== 'function') return;

  let held: Buffer | undefined;
  Reflect.set(cipher, 'encrypt', (packet: Buffer): void => {
    if (packet[NUMBER_AT] === KEXINIT && !held) held = packet;
    else send.call(cipher, packet);
  });
  Reflect.set(decipher, '_onPayload', (payload: Buffer): unknown => {
    if (payload[0] === KEXINIT && held) {
      Reflect.set(cipher, 'encrypt', send);
      const narrowed = narrow(property(protocol, '_offer'), readKexInit(payload)?.cipher ?? []);
      if (narrowed) offerAnew(protocol, narrowed);
      else send.call(cipher, held);
    }
    return receive(payload);
  });
}

/** Our offer with no cipher but AES-GCM; undefined when the client takes none of ours, or we have nothing else. */
function narrow(offer: unknown, offered: readonly string[]): unknown {
  const lists = property(offer, 'lists');
  const isWanted = (name: string): boolean => /gcm/.test(name) && offered.includes(name);
  const ciphers = namesOf(lists, 'cs', 'cipher');
  const wanted = ciphers.filter(isWanted);
  const make: unknown = property(KEX, 'KexInit');
  if (wanted.length === 0 || wanted.length === ciphers.length || typeof make !== 'function') return undefined;
  const oneWay = (way: string): object =>
    Object.fromEntries(LISTS.map((list) => [list, list === 'cipher' ? wanted : namesOf(lists, way, list)]));
  return Reflect.construct(make, [
    { kex: namesOf(lists, 'kex'), serverHostKey: namesOf(lists, 'serverHostKey'), cs: oneWay('cs'), sc: oneWay('sc') },
  ]);
}

function offerAnew(protocol: object, offer: unknown): void {
  Reflect.set(protocol, '_offer', offer);
  Reflect.set(protocol, '_kexinit', undefined);
  const begin: unknown = property(KEX, 'kexinit');
  if (typeof begin === 'function') begin(protocol);
}

function namesOf(lists: unknown, ...path: readonly string[]): string[] {
  const array = property(path.reduce<unknown>(property, lists), 'array');
  return Array.isArray(array) ? array.map(String) : [];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
