// Messages that ssh2 does not send, or sends or takes wrongly: the signatures that are taken, a sentence for the user before a refusal,
// why a channel is refused, and the request for the login service.
import type ssh2 from 'ssh2';
import { string, uint32 } from '#gateway/sftp/protocol/fields.ts';
import { property } from './property.ts';

const EXT_INFO = 7;
const USERAUTH_BANNER = 53;

/** Tells what keys may sign with (RFC 8308 §3.1); ssh2's own list lacks a comma, and so a name. To be sent right after the first NEWKEYS. */
export function sendSignatures(client: ssh2.Connection, names: readonly string[]): void {
  send(client, Buffer.concat([Buffer.from([EXT_INFO]), uint32(1), string('server-sig-algs'), string(names.join(','))]));
}

/** RFC 4252 §5.4: clients show it to their user, and go on. */
export function sendBanner(client: ssh2.Connection, sentence: string): void {
  send(client, Buffer.concat([Buffer.from([USERAUTH_BANNER]), string(Buffer.from(`dropgate: ${sentence}\r\n`)), string('en')]));
}

const SFTP_ONLY = 'this server offers SFTP only';

/** Has refused channels told why (RFC 4254 §5.1), which ssh2 leaves out. What comes back refuses a session with its sentence. */
export function explainRefusedChannels(client: ssh2.Connection): (reject: () => unknown, sentence: string) => void {
  const protocol = property(client, '_protocol');
  const fail = property(protocol, 'channelOpenFail');
  let why = SFTP_ONLY;
  if (typeof protocol === 'object' && protocol !== null && typeof fail === 'function') {
    Reflect.set(protocol, 'channelOpenFail', (recipient: unknown, reason: unknown): unknown =>
      Reflect.apply(fail, protocol, [recipient, reason, why]),
    );
  }
  return (reject, sentence) => {
    why = sentence;
    reject();
    why = SFTP_ONLY;
  };
}

const SERVICE = 'ssh-userauth';
const ASKED_MAX = 50;

/** paramiko asks for the login service anew before each try. ssh2 would end the connection; RFC 4252 does not, nor does OpenSSH's server. */
export function answerRepeatedAsking(client: ssh2.Connection): void {
  const handlers = property(property(client, '_protocol'), '_handlers');
  const ask = property(handlers, 'SERVICE_REQUEST');
  if (typeof handlers !== 'object' || handlers === null || typeof ask !== 'function') return;
  let asked = 0;
  Reflect.set(handlers, 'SERVICE_REQUEST', (protocol: unknown, service: unknown): unknown => {
    asked++;
    const isAgain = asked > 1 && asked <= ASKED_MAX && service === SERVICE && property(client, 'authenticated') === false;
    return isAgain ? call(protocol, 'serviceAccept', service) : ask(protocol, service);
  });
}

/** Does nothing while keys are exchanged: then only the exchange itself may speak (RFC 4253 §7.1). */
function send(client: ssh2.Connection, payload: Buffer): void {
  const protocol = property(client, '_protocol');
  if (property(protocol, '_kexinit') !== undefined) return;
  const write = property(property(protocol, '_packetRW'), 'write');
  const cipher = property(protocol, '_cipher');
  const packet: unknown = call(write, 'alloc', payload.length);
  const start = property(write, 'allocStart');
  if (!(packet instanceof Uint8Array) || typeof start !== 'number') return;
  packet.set(payload, start);
  call(cipher, 'encrypt', call(write, 'finalize', packet));
}

function call(on: unknown, method: string, argument: unknown): unknown {
  const does = property(on, method);
  return typeof does === 'function' ? Reflect.apply(does, on, [argument]) : undefined;
}
