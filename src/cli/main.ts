// What the command line asks for, done; and the exit status that tells what came of it.

import { shareCompiled, sizeThreadPool } from '#runtime/config/environment.ts';
import { runProgram } from './program.ts';
import { processTerminal } from './terminal.ts';

/** Files that we write are for this user and its group, or fewer where the environment says so. */
const FORBIDDEN = 0o027;

sizeThreadPool();
shareCompiled();
for (const stream of [process.stdout, process.stderr]) stream.on('error', unlessReaderLeft);
process.umask(process.umask() | FORBIDDEN);
process.exitCode = await runProgram(process.argv.slice(2), processTerminal);

/** A reader may leave before the end, as `| head` does: the command does its work all the same. */
function unlessReaderLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
