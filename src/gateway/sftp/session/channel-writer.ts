// An ssh2 channel as the line of a session, safe to use after the client has gone.
import type { Writable } from 'node:stream';
import type { ServerChannel } from 'ssh2';
import { giveBack } from '#gateway/sftp/ssh2/large-buffers.ts';
import type { Line } from './session.ts';

/** A client that asks for smaller pieces (or none: ssh2 would cut 0-byte pieces for ever) wants to keep us busy. */
const PIECE_BYTES_MIN = 1024;
/** Clients that show what comes on the error channel, and not the sentence of a status. */
const SHOW_ERRORS = ['OpenSSH', 'PuTTY'];
/** Sentences shown on the error channel of one session at most. */
const SHOWN_MAX = 20;
/** Room that the client must have given before anything is written to its error channel. */
const SHOWN_BYTES_MAX = 1024;

export interface ChannelOptions {
  /** What the client calls itself. */
  readonly software: string;
  /** ssh2 must not be called any more. */
  readonly isGone: () => boolean;
  /** Bytes that wait in the socket below. */
  readonly socketBytes: () => number;
  /** The line has some of what it was given behind it. */
  readonly sent: () => void;
}

/** Whether what the client announced about its side of the channel can be worked with. */
export function isUsable(channel: ServerChannel): boolean {
  return outgoing(channel).packetSize >= PIECE_BYTES_MIN;
}

export function openLine(channel: ServerChannel, { software, isGone, socketBytes, sent }: ChannelOptions): Line {
  const showsErrors = SHOW_ERRORS.some((name) => software.startsWith(name));
  let shown = 0;
  let last = '';
  return {
    pause: () => void channel.pause(),
    resume() {
      if (channel.isPaused()) channel.resume();
    },
    send(packet) {
      if (isGone()) return;
      channel.write(packet, () => {
        giveBack(packet);
        sent();
      });
    },
    unsentBytes: () => channel.writableLength + socketBytes(),
    show(sentence) {
      // ssh2 mixes up its two streams when a window ends within the error stream: write only what surely fits.
      const hasRoom = outgoing(channel).window > SHOWN_BYTES_MAX && channel.writableLength === 0;
      if (!showsErrors || isGone() || !hasRoom || sentence === last || shown >= SHOWN_MAX) return;
      last = sentence;
      shown++;
      errorStream(channel)?.write(Buffer.from(`dropgate: ${sentence}\r\n`).subarray(0, SHOWN_BYTES_MAX));
    },
    finish(exitStatus) {
      if (isGone()) return;
      // OpenSSH hangs, and scp fails, without an exit status before the close.
      channel.exit(exitStatus);
      channel.end();
      channel.resume();
    },
  };
}

/** Without these listeners an error would end the process. What failed shows in the connection, too. */
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
