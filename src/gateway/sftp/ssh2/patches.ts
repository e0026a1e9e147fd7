// All changes to ssh2's private parts, behind one check of its version. With another version they are left out: the server then lacks the
// post-quantum key exchange and the sentences that ssh2 cannot send, and large files take more CPU.
import type { Socket } from 'node:net';
import type ssh2 from 'ssh2';
import type { Log } from '#runtime/log.ts';
import { installedVersion, loadInternal, protocolOf } from './internals.ts';
import { handleFirstExchange, teachHybrid } from './kex.ts';
import { answerRepeatedRequests, explainRefusedChannels, sendBanner, sendSignatures } from './messages.ts';
import { lendPacketMemory } from './packet-memory.ts';
import { preferGcm } from './prefer-gcm.ts';
import { giveBackWritten, readIntoShared } from './socket-memory.ts';

/** The version of ssh2 whose sources were read for this folder. */
const KNOWN_VERSION = '1.17.0';

export interface Ssh2Patches {
  /** Whether mlkem768x25519-sha256 can be offered. */
  readonly hasHybrid: boolean;
  /** Whether ssh2 uses its crypto add-on. */
  readonly crypto: 'native' | 'javascript' | 'unknown';
  /** To be called before ssh2 gets the socket. */
  socket(socket: Socket): void;
  /** To be called when the client has sent its version line. */
  connection(client: ssh2.Connection, socket: Socket, software: string): PatchedConnection;
}

export interface PatchedConnection {
  /** To be called after the first key exchange. `signatures`: what users' keys may sign with. */
  encrypted(signatures: readonly string[]): void;
  /** Shows a sentence to the user of a client that is not logged in yet. */
  showBanner(sentence: string): void;
  /** Refuses a channel with a sentence. */
  refuse(reject: () => unknown, sentence: string): void;
}

const UNPATCHED: Ssh2Patches = {
  hasHybrid: false,
  crypto: 'unknown',
  socket: () => {},
  connection: () => ({ encrypted: () => {}, showBanner: () => {}, refuse: (reject) => void reject() }),
};

/** Patches ssh2; to be called before a server is made. */
export function patchSsh2(log: Log, version = installedVersion()): Ssh2Patches {
  if (version !== KNOWN_VERSION) {
    log.warn({ event: 'sftp.ssh2-unpatched', version, known: KNOWN_VERSION });
    return UNPATCHED;
  }
  teachHybrid();
  lendPacketMemory();
  return {
    hasHybrid: true,
    crypto: loadInternal('crypto.js').bindingAvailable ? 'native' : 'javascript',
    socket: giveBackWritten,
    connection(client, socket, software) {
      const protocol = protocolOf(client);
      const takesExtInfo = handleFirstExchange(protocol);
      preferGcm(protocol, software);
      answerRepeatedRequests(client, protocol);
      return {
        encrypted(signatures) {
          if (takesExtInfo()) sendSignatures(protocol, signatures);
          readIntoShared(socket, protocol);
        },
        showBanner: (sentence) => sendBanner(protocol, sentence),
        refuse: explainRefusedChannels(protocol),
      };
    },
  };
}
