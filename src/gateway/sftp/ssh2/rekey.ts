// Messages between those of a later key exchange. IGNORE, UNIMPLEMENTED and DEBUG are allowed there (RFC 4253 §7.1; strict key exchange forbids
// them in the first one only), and asyncssh goes on with its channels, which OpenSSH's server accepts, too. ssh2 would end the connection.
import type { Protocol } from './internals.ts';

const IGNORED: ReadonlySet<number> = new Set([2, 3, 4]);
/** Global requests and channels (RFC 4250 §4.1.1). */
const CONNECTION_FIRST = 80;

/** To be called when ssh2 has begun a later exchange; lasts until ssh2 changes keys. `handlers`: by message number. */
export function allowMessagesDuringRekey(
  protocol: Protocol,
  handlers: readonly (((protocol: Protocol, payload: Buffer) => unknown) | undefined)[],
): void {
  const decipher = protocol._decipher;
  const receive = decipher._onPayload;
  decipher._onPayload = (payload) => {
    const number = payload[0] ?? 0;
    if (IGNORED.has(number)) return undefined;
    const handle = number >= CONNECTION_FIRST ? handlers[number] : undefined;
    return handle ? handle(protocol, payload) : receive(payload);
  };
}
