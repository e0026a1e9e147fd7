#!/usr/bin/env node
// The entry: what the command line asks for, done, and the exit status that tells what came of it.
import { runProgram } from '#cli/program.ts';
import { processTerminal } from '#cli/terminal.ts';
import { sizeThreadPool } from '#runtime/config-file.ts';

/** Files are for this user and its group. */
const UMASK = 0o027;

sizeThreadPool();
process.umask(UMASK);
process.exitCode = await runProgram(process.argv.slice(2), processTerminal);
