// The terminal that a command speaks to: what it prints, what it complains about, and what is piped into it.
import { AppError } from '#domain/error.ts';
import { systemClock } from '#runtime/clock.ts';
import { mayColour } from '#runtime/config/environment.ts';
import type { Style } from './cells.ts';

export interface Terminal {
  /** How to show things to people; null where standard output is not a terminal, but read by a program. */
  readonly style: Style | null;
  /** One line, or several, on standard output. */
  print(text: string): void;
  /** The same on standard error. */
  complain(text: string): void;
  /** The first line of standard input: a secret that must not stand among the arguments. Throws `usage` when there is none. */
  readSecret(what: string): Promise<string>;
  /** All of standard input. Throws `too-large`. */
  readInput(bytesMax: number): Promise<Uint8Array>;
  /** One line that replaces itself, on a terminal that somebody looks at; '' takes it away. Nowhere else. */
  progress(text: string): void;
}

const SECRET_BYTES_MAX = 4_096;

export const processTerminal: Terminal = {
  style: process.stdout.isTTY ? { isColoured: mayColour(), nowMs: systemClock.now() } : null,
  print: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  async readSecret(what) {
    let text = '';
    for await (const piece of process.stdin.setEncoding('utf8')) {
      text += piece;
      if (text.length > SECRET_BYTES_MAX) throw new AppError('usage', `The ${what} on standard input is too long.`);
      if (text.includes('\n')) break;
    }
    const line = text.split(/\r?\n/, 1)[0] ?? '';
    if (line === '') throw new AppError('usage', `Standard input holds no ${what}: write it there as one line.`);
    return line;
  },
  async readInput(bytesMax) {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of process.stdin) {
      const read = Buffer.from(piece);
      bytes += read.length;
      if (bytes > bytesMax) throw new AppError('too-large', `Standard input holds more than ${bytesMax} bytes.`);
      pieces.push(read);
    }
    return Buffer.concat(pieces);
  },
  progress(text) {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  },
};
