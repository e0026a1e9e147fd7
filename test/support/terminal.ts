// A terminal that remembers, and a command line run in this process.

import { runProgram } from '#cli/program.ts';
import { AppError } from '#domain/error.ts';

export interface CommandResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `dropgate ARGS` in this process, with `input` on its standard input: a secret, or a document. */
export async function command(args: readonly string[], input?: string | Uint8Array): Promise<CommandResult> {
  const out: string[] = [];
  const err: string[] = [];
  const status = await runProgram(args, {
    print: (text) => void out.push(text),
    complain: (text) => void err.push(text),
    async readSecret(what) {
      if (typeof input !== 'string') throw new AppError('usage', `Standard input holds no ${what}.`);
      return input;
    },
    readInput: async () => (typeof input === 'string' ? new TextEncoder().encode(input) : (input ?? new Uint8Array())),
    progress: () => undefined,
  });
  return { status, out: out.join('\n'), err: err.join('\n') };
}
