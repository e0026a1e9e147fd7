// What the command line asks for, done; and the exit status that tells what came of it.

import { sizeThreadPool } from '#runtime/config-file.ts';
import { runProgram } from './program.ts';
import { processTerminal } from './terminal.ts';

/** What we write is for nobody but this user and its group, and for fewer where the environment says so. */
const FORBIDDEN = 0o027;

sizeThreadPool();
for (const stream of [process.stdout, process.stderr]) stream.on('error', unlessReaderLeft);
process.umask(process.umask() | FORBIDDEN);
process.exitCode = await runProgram(process.argv.slice(2), processTerminal);

/** Whoever reads may leave before the end, as `| head` does: what was asked for is done all the same. */
function unlessReaderLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
