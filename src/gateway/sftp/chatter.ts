// IGNORE, UNIMPLEMENTED and DEBUG between the messages of a later key exchange (RFC 4253 §7.1 allows them). Strict key exchange forbids them in
// the first one only, but ssh2 ends the connection in any; asyncssh sends one in each.
import { property } from './property.ts';

const CHATTER: ReadonlySet<unknown> = new Set([2, 3, 4]);

/** To be called when ssh2 has taken up an exchange that is not the first; it lasts until ssh2 changes keys. */
export function allowChatter(protocol: unknown): void {
  const decipher = property(protocol, '_decipher');
  const receive = property(decipher, '_onPayload');
  if (typeof decipher !== 'object' || decipher === null || typeof receive !== 'function') return;
  Reflect.set(decipher, '_onPayload', (payload: Buffer): unknown => (CHATTER.has(payload[0]) ? undefined : receive(payload)));
}
