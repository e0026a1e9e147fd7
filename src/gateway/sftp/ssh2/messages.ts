// Messages that ssh2 does not send, or handles wrongly: the signatures that the server takes, a sentence before a refused login, why a channel is
// refused, and repeated requests for the login service.
import type ssh2 from 'ssh2';
import { string, uint32 } from '#gateway/sftp/protocol/fields.ts';
import type { Protocol } from './internals.ts';

const EXT_INFO = 7;
const USERAUTH_BANNER = 53;

/** What keys may sign with (RFC 8308 §3.1); ssh2's own list lacks a comma, and so a name. To be sent right after the first NEWKEYS. */
export function sendSignatures(protocol: Protocol, names: readonly string[]): void {
  send(protocol, Buffer.concat([Buffer.from([EXT_INFO]), uint32(1), string('server-sig-algs'), string(names.join(','))]));
}

/** Clients show it to their user, and go on (RFC 4252 §5.4). */
export function sendBanner(protocol: Protocol, sentence: string): void {
  send(protocol, Buffer.concat([Buffer.from([USERAUTH_BANNER]), string(Buffer.from(`dropgate: ${sentence}\r\n`)), string('en')]));
}

const SFTP_ONLY = 'this server offers SFTP only';

/** Adds a sentence to refused channels (RFC 4254 §5.1), which ssh2 leaves out. Returns a function that refuses one with its own sentence. */
export function explainRefusedChannels(protocol: Protocol): (reject: () => unknown, sentence: string) => void {
  const fail = protocol.channelOpenFail;
  let why = SFTP_ONLY;
  protocol.channelOpenFail = (recipient, reason) => fail.call(protocol, recipient, reason, why);
  return (reject, sentence) => {
    why = sentence;
    reject();
    why = SFTP_ONLY;
  };
}

const SERVICE = 'ssh-userauth';
const REQUESTS_MAX = 50;

/** paramiko requests the login service before each try. ssh2 would end the connection; RFC 4252 allows it, and OpenSSH's server does, too. */
export function answerRepeatedRequests(client: ssh2.Connection, protocol: Protocol): void {
  const handlers = protocol._handlers;
  const request = handlers.SERVICE_REQUEST;
  let requests = 0;
  handlers.SERVICE_REQUEST = (_, service) => {
    requests++;
    const isRepeated = requests > 1 && requests <= REQUESTS_MAX && service === SERVICE && Reflect.get(client, 'authenticated') === false;
    return isRepeated ? protocol.serviceAccept(service) : request(protocol, service);
  };
}

/** Sends nothing while keys are exchanged: then only messages of the exchange are allowed (RFC 4253 §7.1). */
function send(protocol: Protocol, payload: Buffer): void {
  if (protocol._kexinit !== undefined) return;
  const { write } = protocol._packetRW;
  const packet = write.alloc(payload.length);
  packet.set(payload, write.allocStart);
  protocol._cipher.encrypt(write.finalize(packet));
}
