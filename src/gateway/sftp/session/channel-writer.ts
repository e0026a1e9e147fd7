// Writes to an ssh2 channel for a session; safe to call after the client has gone.
import type { Writable } from 'node:stream';
import type { ServerChannel } from 'ssh2';
import { giveBack } from '#gateway/sftp/protocol/packet-buffers.ts';
import type { ChannelWriter } from './session.ts';

/** Smaller packets are an attack: ssh2 would send a packet for each, and loop for ever on packets of 0 bytes. */
const PIECE_BYTES_MIN = 1024;
/** Clients that show what comes on the error channel, and not the sentence of a status. */
const SHOW_ERRORS = ['OpenSSH', 'PuTTY'];
/** Sentences shown on the error channel of one session at most. */
const SHOWN_MAX = 20;
/** Window that the channel must have left before anything is written to its error channel. */
const SHOWN_BYTES_MAX = 1024;

/** The connection below a channel. */
export interface Below {
  /** What the client calls itself. */
  readonly software: string;
  readonly socket: { readonly writableLength: number };
  /** ssh2 must not be called any more. */
  readonly isGone: boolean;
}

/** Whether the client takes packets of a reasonable size. */
export function isUsable(channel: ServerChannel): boolean {
  return outgoing(channel).packetSize >= PIECE_BYTES_MIN;
}

export function openChannelWriter(channel: ServerChannel, below: Below): ChannelWriter {
  const showsErrors = SHOW_ERRORS.some((name) => below.software.startsWith(name));
  let shown = 0;
  let last = '';
  return {
    pause: () => void channel.pause(),
    resume() {
      if (channel.isPaused()) channel.resume();
    },
    send(packet, sent) {
      if (below.isGone) return;
      channel.write(packet, () => {
        giveBack(packet);
        sent();
      });
    },
    unsentBytes: () => channel.writableLength + below.socket.writableLength,
    show(sentence) {
      // ssh2 mixes up its two streams when a window ends within the error stream: write only what surely fits.
      const hasRoom = outgoing(channel).window > SHOWN_BYTES_MAX && channel.writableLength === 0;
      if (!showsErrors || below.isGone || !hasRoom || sentence === last || shown >= SHOWN_MAX) return;
      last = sentence;
      shown++;
      errorStream(channel)?.write(Buffer.from(`dropgate: ${sentence}\r\n`).subarray(0, SHOWN_BYTES_MAX));
    },
    finish(exitStatus) {
      if (below.isGone) return;
      // OpenSSH hangs, and scp fails, without an exit status before the close.
      channel.exit(exitStatus);
      channel.end();
      channel.resume();
    },
  };
}

/** Without these listeners an error would end the process. The connection reports the error, too. */
export function ignoreErrors(channel: ServerChannel): void {
  channel.on('error', () => {});
  channel.stderr.on('error', () => {});
}

export function errorStream(channel: ServerChannel): Writable | undefined {
  return 'write' in channel.stderr ? channel.stderr : undefined;
}

function outgoing(channel: ServerChannel): { readonly window: number; readonly packetSize: number } {
  const side = channel.outgoing;
  const read = (key: string): number => {
    const value: unknown = typeof side === 'object' && side !== null ? Reflect.get(side, key) : undefined;
    return typeof value === 'number' ? value : 0;
  };
  return { window: read('window'), packetSize: read('packetSize') };
}
