// A terminal that remembers, and a command line run in this process.
import { Errors } from 'typebox/value';
import { expect } from 'vitest';
import { runProgram } from '#cli/program.ts';
import type { Terminal } from '#cli/terminal.ts';
import { AppError } from '#domain/error.ts';
import type { Operation } from '#operations/operation.ts';
import { isOperation, OPERATIONS } from '#operations/table.ts';

export interface CommandResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `dropgate ARGS` in this process, with `input` on its standard input: a secret, or a document. `style`: as on such a terminal. */
export async function command(
  args: readonly string[],
  input?: string | Uint8Array,
  style: Terminal['style'] = null,
): Promise<CommandResult> {
  const out: string[] = [];
  const err: string[] = [];
  const status = await runProgram(args, {
    style,
    print: (text) => void out.push(text),
    complain: (text) => void err.push(text),
    async readSecret(what) {
      if (typeof input !== 'string') throw new AppError('usage', `Standard input holds no ${what}.`);
      return input;
    },
    readInput: async () => (typeof input === 'string' ? new TextEncoder().encode(input) : (input ?? new Uint8Array())),
    progress: () => undefined,
  });
  if (status === 0 && args.includes('--json')) await expectAnswer(args, out);
  return { status, out: out.join('\n'), err: err.join('\n') };
}

/** What --json prints of an operation is its answer. */
async function expectAnswer(args: readonly string[], out: readonly string[]): Promise<void> {
  const [first = '', second = ''] = args;
  const name = [`${first}.${second.replace(/^--/, '')}`, first].find(isOperation);
  if (name === undefined) return;
  const { answer }: Operation = await OPERATIONS[name].load();
  const printed: unknown[] = out.map((line) => JSON.parse(line));
  expect(Errors(answer, 'items' in answer ? printed : printed[0])).toEqual([]);
}
