// The command line: every command, and what becomes of errors: a sentence on standard error, and an exit status.
import { Command, CommanderError } from 'commander';
import { toAppError } from '#domain/error.ts';
import { visibleLines } from '#domain/visible.ts';
import manifest from '../../package.json' with { type: 'json' };
import { type AddCommand, Commands } from './commands.ts';
import { EXIT_STATUS } from './exit-status.ts';
import type { Terminal } from './terminal.ts';

/** Where each command is: only the one that is asked for is loaded, for a script may run hundreds. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  serve: async () => (await import('./serve.ts')).addServe,
  init: async () => (await import('./init.ts')).addInit,
  'check-config': async () => (await import('./check-config.ts')).addCheckConfig,
  doctor: async () => (await import('./doctor.ts')).addDoctor,
  account: async () => (await import('./account.ts')).addAccountCommands,
  partner: async () => (await import('./partner.ts')).addPartnerCommands,
  login: async () => (await import('./login.ts')).addLoginCommands,
  webhook: async () => (await import('./webhook.ts')).addWebhookCommands,
  transmission: async () => (await import('./transmission.ts')).addTransmissionCommands,
  network: async () => (await import('./network.ts')).addNetworkCommands,
  connections: async () => (await import('./connections.ts')).addConnections,
  'connection-kit': async () => (await import('./connection-kit.ts')).addConnectionKit,
  'host-key': async () => (await import('./host-key.ts')).addHostKeyCommands,
  apply: async () => (await import('./apply.ts')).addApply,
  validate: async () => (await import('./validate.ts')).addValidate,
  convert: async () => (await import('./convert.ts')).addConvert,
  export: async () => (await import('./export.ts')).addExport,
  items: async () => (await import('./items.ts')).addItems,
  item: async () => (await import('./items.ts')).addItem,
  cancel: async () => (await import('./cancel.ts')).addCancel,
  resend: async () => (await import('./resend.ts')).addResend,
  resubmit: async () => (await import('./resend.ts')).addResubmit,
  outbox: async () => (await import('./outbox.ts')).addOutbox,
  redeliver: async () => (await import('./outbox.ts')).addRedeliver,
  'mark-unread': async () => (await import('./outbox.ts')).addMarkUnread,
  archive: async () => (await import('./archive.ts')).addArchiveCommands,
  recover: async () => (await import('./recover.ts')).addRecover,
  alarm: async () => (await import('./alarm.ts')).addAlarmCommands,
  audit: async () => (await import('./audit.ts')).addAuditCommands,
  health: async () => (await import('./health.ts')).addHealth,
  'copy-ledgers': async () => (await import('./copy-ledgers.ts')).addCopyLedgers,
  demo: async () => (await import('./demo.ts')).addDemo,
};

/** Runs one command to its end, and returns the exit status. Never throws. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  let status = 0;
  const end = (ended: number): void => {
    status = ended;
  };
  try {
    const program = await assembleProgram(terminal, end, args[0]);
    await program.parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    return error instanceof CommanderError ? statusOf(error) : told(error, terminal);
  }
}

/** The program with the command of this name; with all commands when there is none of it. */
export async function assembleProgram(terminal: Terminal, end: (status: number) => void, name?: string): Promise<Command> {
  const program = new Command('dropgate')
    .description('SFTP and file-drop gateway for Peppol business documents, with the document exchange service it submits to.')
    .version(manifest.version, '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.print(text.trimEnd()), writeErr: (text) => terminal.complain(text.trimEnd()) })
    .showHelpAfterError("('--help' shows what there is)");
  for (const load of asked(name)) (await load())(new Commands(program, terminal, end));
  return program;
}

function asked(name = ''): readonly (() => Promise<AddCommand>)[] {
  const one = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return one ? [one] : Object.values(COMMANDS);
}

/** Commander has said what there is to say; asked for help it ends with 0. */
function statusOf(error: CommanderError): number {
  return error.exitCode === 0 ? 0 : EXIT_STATUS.usage;
}

function told(error: unknown, terminal: Terminal): number {
  const { code, message, cause } = toAppError(error);
  const reason = code === 'internal' && cause instanceof Error ? ` (${cause.message})` : '';
  terminal.complain(visibleLines(`dropgate: ${message}${reason}`));
  return EXIT_STATUS[code];
}
