// AES-GCM for OpenSSH's client, which prefers AES-CTR; with GCM large files take less CPU. The client's order decides (RFC 4253 §7.1), so our
// KEXINIT is held back until its own has come, and names only AES-GCM when the client has it. OpenSSH does not wait for our KEXINIT; other
// clients might, and are sent it at once.
import { readKexInit } from './client-kexinit.ts';
import { loadInternal, type OwnKexInit, type Protocol } from './internals.ts';

const KEXINIT = 20;
/** Where the message number stands in an unencrypted packet (RFC 4253 §6): behind the length and that of the padding. */
const NUMBER_AT = 5;

/** To be called when the client has sent its version line. */
export function preferGcm(protocol: Protocol, software: string): void {
  if (!software.startsWith('OpenSSH_')) return;
  const cipher = protocol._cipher;
  const decipher = protocol._decipher;
  const send = cipher.encrypt;
  const receive = decipher._onPayload;
  let held: Buffer | undefined;
  cipher.encrypt = (packet) => {
    if (packet[NUMBER_AT] === KEXINIT && !held) held = packet;
    else send.call(cipher, packet);
  };
  decipher._onPayload = (payload) => {
    if (payload[0] === KEXINIT && held) {
      cipher.encrypt = send;
      const narrowed = narrow(protocol._offer, readKexInit(payload)?.cipher ?? []);
      if (narrowed) sendInstead(protocol, narrowed);
      else send.call(cipher, held);
    }
    return receive(payload);
  };
}

/** Our KEXINIT with AES-GCM only; undefined when the client has none, or we offer nothing else. */
function narrow({ lists }: OwnKexInit, offered: readonly string[]): OwnKexInit | undefined {
  const ciphers = lists.cs.cipher.array;
  const wanted = ciphers.filter((name) => name.includes('gcm') && offered.includes(name));
  if (wanted.length === 0 || wanted.length === ciphers.length) return undefined;
  const oneWay = ({ mac, compress, lang }: OwnKexInit['lists']['cs']): object => ({
    cipher: wanted,
    mac: mac.array,
    compress: compress.array,
    lang: lang.array,
  });
  const { KexInit } = loadInternal('kex.js');
  return new KexInit({
    kex: lists.kex.array,
    serverHostKey: lists.serverHostKey.array,
    cs: oneWay(lists.cs),
    sc: oneWay(lists.sc),
  });
}

function sendInstead(protocol: Protocol, offer: OwnKexInit): void {
  protocol._offer = offer;
  protocol._kexinit = undefined;
  loadInternal('kex.js').kexinit(protocol);
}
