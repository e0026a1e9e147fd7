// What may come between the messages of a later key exchange. IGNORE, UNIMPLEMENTED and DEBUG are allowed there (RFC 4253 §7.1; strict key
// exchange forbids them in the first one only), and asyncssh goes on with its channels, which OpenSSH's server lets pass, too. ssh2 would
// end the connection.
import { property } from './property.ts';

const IGNORED: ReadonlySet<unknown> = new Set([2, 3, 4]);
/** Global requests and channels (RFC 4250 §4.1.1). */
const CONNECTION_FIRST = 80;

/** To be called when ssh2 has taken up an exchange that is not the first; it lasts until ssh2 changes keys. `handlers`: by message number. */
export function allowMessagesDuringRekey(protocol: unknown, handlers: readonly unknown[]): void {
  const decipher = property(protocol, '_decipher');
  const receive = property(decipher, '_onPayload');
  if (typeof decipher !== 'object' || decipher === null || typeof receive !== 'function') return;
  Reflect.set(decipher, '_onPayload', (payload: Buffer): unknown => {
    const number = payload[0] ?? 0;
    if (IGNORED.has(number)) return undefined;
    const handle = number >= CONNECTION_FIRST ? handlers[number] : undefined;
    return typeof handle === 'function' ? handle(protocol, payload) : receive(payload);
  });
}
