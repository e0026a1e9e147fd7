#!/usr/bin/env node
// The entry: what the command line asks for, done, and the exit status that tells what came of it.
import { runProgram } from '#cli/program.ts';
import { processTerminal } from '#cli/terminal.ts';
import { sizeThreadPool } from '#runtime/config-file.ts';

/** What we write is for nobody but this user and its group, and for fewer where the environment says so. */
const FORBIDDEN = 0o027;

sizeThreadPool();
process.umask(process.umask() | FORBIDDEN);
process.exitCode = await runProgram(process.argv.slice(2), processTerminal);
