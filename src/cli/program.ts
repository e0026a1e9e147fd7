// The command line: every command, and what becomes of errors: a sentence on standard error, and an exit status.
import { Command, CommanderError } from 'commander';
import { toAppError } from '#domain/error.ts';
import { addAccountCommands } from './account.ts';
import { addApply } from './apply.ts';
import { addCheckConfig } from './check-config.ts';
import type { AddCommand } from './command.ts';
import { addDemo } from './demo.ts';
import { EXIT_STATUS } from './exit-status.ts';
import { addExport } from './export.ts';
import { addHealth } from './health.ts';
import { addInit } from './init.ts';
import { addLoginCommands } from './login.ts';
import { addPartnerCommands } from './partner.ts';
import { addRecover } from './recover.ts';
import { addServe } from './serve.ts';
import type { Terminal } from './terminal.ts';

const COMMANDS: readonly AddCommand[] = [
  addServe,
  addInit,
  addCheckConfig,
  addAccountCommands,
  addPartnerCommands,
  addLoginCommands,
  addApply,
  addExport,
  addRecover,
  addHealth,
  addDemo,
];

/** Runs one command to its end, and returns the exit status. Never throws. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('dropgate')
    .description('SFTP and file-drop gateway for Peppol business documents, with the document exchange service it submits to.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.print(text.trimEnd()), writeErr: (text) => terminal.complain(text.trimEnd()) })
    .showHelpAfterError("('--help' shows what there is)");
  for (const add of COMMANDS) add(program, terminal);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    return error instanceof CommanderError ? statusOf(error) : told(error, terminal);
  }
}

/** Commander has said what there is to say; asked for help it ends with 0. */
function statusOf(error: CommanderError): number {
  return error.exitCode === 0 ? 0 : EXIT_STATUS.usage;
}

function told(error: unknown, terminal: Terminal): number {
  const { code, message, cause } = toAppError(error);
  const reason = code === 'internal' && cause instanceof Error ? ` (${cause.message})` : '';
  terminal.complain(`dropgate: ${message}${reason}`);
  return EXIT_STATUS[code];
}
