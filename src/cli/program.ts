// The command line: every command, and what becomes of errors: a sentence on standard error, and an exit status.

import { Command, CommanderError, Help } from 'commander';
import { AppError, toAppError } from '#domain/error.ts';
import { visibleLines } from '#domain/visible.ts';
import { sentenceOf } from '#operations/table.ts';
import { VERSION } from '#runtime/version.ts';
import type { AddCommand } from './commands.ts';
import { EXIT_STATUS } from './exit-status.ts';
import { insteadOf } from './meant.ts';
import type { Terminal } from './terminal.ts';

interface Row {
  readonly does: string;
  readonly load: () => Promise<AddCommand>;
}

/** Every command, by its group. Only the one that is asked for is loaded: a script may run hundreds, and help needs none. */
// biome-ignore format: one row, one command
const GROUPS: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  'Documents:': {
    find: { does: sentenceOf('find'), load: async () => (await import('./find.ts')).addFind },
    items: { does: sentenceOf('items'), load: async () => (await import('./items.ts')).addItems },
    item: { does: sentenceOf('item'), load: async () => (await import('./items.ts')).addItem },
    receipts: { does: sentenceOf('receipts'), load: async () => (await import('./items.ts')).addReceipts },
    document: { does: sentenceOf('document'), load: async () => (await import('./items.ts')).addDocument },
    received: { does: sentenceOf('received'), load: async () => (await import('./items.ts')).addReceived },
    cancel: { does: sentenceOf('cancel'), load: async () => (await import('./cancel.ts')).addCancel },
    resend: { does: sentenceOf('resend'), load: async () => (await import('./resend.ts')).addResend },
    resubmit: { does: sentenceOf('resubmit'), load: async () => (await import('./resend.ts')).addResubmit },
    outbox: { does: sentenceOf('outbox'), load: async () => (await import('./outbox.ts')).addOutbox },
    redeliver: { does: sentenceOf('redeliver'), load: async () => (await import('./outbox.ts')).addRedeliver },
    'mark-unread': { does: sentenceOf('mark-unread'), load: async () => (await import('./outbox.ts')).addMarkUnread },
    transmission: { does: 'transmissions: documents on their way to the network', load: async () => (await import('./transmission.ts')).addTransmissionCommands },
    network: { does: 'what the network brings, and how it finds the participants of accounts', load: async () => (await import('./network.ts')).addNetworkCommands },
  },
  'Accounts:': {
    account: { does: 'accounts: companies in the exchange', load: async () => (await import('./account.ts')).addAccountCommands },
    partner: { does: 'partners: accounting firms and vendors who act for accounts', load: async () => (await import('./partner.ts')).addPartnerCommands },
    login: { does: 'logins: SFTP users', load: async () => (await import('./login.ts')).addLoginCommands },
    webhook: { does: 'webhooks: how subscriptions fare, and events that were given up', load: async () => (await import('./webhook.ts')).addWebhookCommands },
    usage: { does: sentenceOf('usage'), load: async () => (await import('./usage.ts')).addUsage },
    apply: { does: sentenceOf('apply'), load: async () => (await import('./apply.ts')).addApply },
    export: { does: sentenceOf('export'), load: async () => (await import('./export.ts')).addExport },
    'connection-kit': { does: sentenceOf('connection-kit'), load: async () => (await import('./connection-kit.ts')).addConnectionKit },
  },
  'Daemon:': {
    serve: { does: 'run the daemon until SIGTERM or SIGINT', load: async () => (await import('./serve.ts')).addServe },
    health: { does: 'ask the running daemon whether it answers', load: async () => (await import('./health.ts')).addHealth },
    activity: { does: sentenceOf('activity'), load: async () => (await import('./activity.ts')).addActivity },
    status: { does: sentenceOf('status'), load: async () => (await import('./status.ts')).addStatus },
    nodes: { does: sentenceOf('nodes'), load: async () => (await import('./nodes.ts')).addNodes },
    connections: { does: sentenceOf('connections'), load: async () => (await import('./connections.ts')).addConnections },
    alarm: { does: 'alarms: what stands now, and whether they reach you', load: async () => (await import('./alarm.ts')).addAlarmCommands },
    operator: { does: 'operators: who may log in to the page of the admin listener', load: async () => (await import('./operator.ts')).addOperatorCommands },
    audit: { does: 'audit: what people have done here', load: async () => (await import('./audit.ts')).addAuditCommands },
    init: { does: 'write an annotated configuration into a folder; its data folder will be below it', load: async () => (await import('./init.ts')).addInit },
    'check-config': { does: sentenceOf('check-config'), load: async () => (await import('./check-config.ts')).addCheckConfig },
    doctor: { does: sentenceOf('doctor'), load: async () => (await import('./doctor.ts')).addDoctor },
    'host-key': { does: 'host keys: by which clients know this server', load: async () => (await import('./host-key.ts')).addHostKeyCommands },
  },
  'Ledgers and archive:': {
    archive: { does: 'copies of documents, originals and receipts below the data folder', load: async () => (await import('./archive.ts')).addArchiveCommands },
    recover: { does: sentenceOf('recover'), load: async () => (await import('./recover.ts')).addRecover },
    backup: { does: sentenceOf('backup'), load: async () => (await import('./backup.ts')).addBackup },
    restore: { does: sentenceOf('restore'), load: async () => (await import('./backup.ts')).addRestore },
    'copy-ledgers': { does: sentenceOf('copy-ledgers'), load: async () => (await import('./copy-ledgers.ts')).addCopyLedgers },
  },
  'Tools:': {
    validate: { does: "judge documents by the network's rules: exit status 0 when all are valid, 1 when one is not, 2 when one cannot be read, or there is none", load: async () => (await import('./validate.ts')).addValidate },
    convert: { does: 'print a document as UBL JSON (the model shape) or as XML; what came in the same notation comes out in its normal form', load: async () => (await import('./convert.ts')).addConvert },
    demo: { does: 'show the way of one invoice from a seller to a buyer, with a daemon of its own in a temporary folder', load: async () => (await import('./demo.ts')).addDemo },
    completion: { does: 'print what has a shell complete the words of these commands', load: async () => (await import('./completion.ts')).addCompletion },
  },
};

const COMMANDS = Object.entries(GROUPS).flatMap(([group, rows]) => Object.entries(rows).map(([name, row]) => ({ group, name, ...row })));

/** Runs one command to its end, and returns the exit status. Never throws. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  let status = 0;
  const end = (ended: number): void => {
    status = ended;
  };
  try {
    const words = args[0] === 'help' ? args.slice(1) : args;
    // The words of all commands are what it prints.
    const program = await assembleProgram(terminal, end, (each) => each === words[0] || words[0] === 'completion');
    const instead = insteadOf(program, words);
    if (instead !== undefined) throw new AppError('usage', instead);
    await program.parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    return error instanceof CommanderError ? statusOf(error) : complain(error, terminal);
  }
}

/** The program with all commands; those that are not asked for have only their names, and what they do. */
export async function assembleProgram(
  terminal: Terminal,
  end: (status: number) => void,
  isAsked: (name: string) => boolean = () => true,
): Promise<Command> {
  const program = new Command('dropgate')
    .description('SFTP and file-drop gateway for Peppol business documents, with the document exchange service it submits to.')
    .version(VERSION, '-V, --version', 'print the version')
    .exitOverride()
    .configureHelp({
      subcommandTerm: (command) => withoutAlias(command, new Help().subcommandTerm(command)),
      commandUsage: (command) => withoutAlias(command, new Help().commandUsage(command)),
    })
    .configureOutput({ writeOut: (text) => terminal.print(text.trimEnd()), writeErr: (text) => terminal.complain(text.trimEnd()) })
    .showHelpAfterError("('--help' shows what there is)");
  for (const { group, name, does, load } of COMMANDS) {
    if (isAsked(name)) {
      const [{ Commands }, add] = await Promise.all([import('./commands.ts'), load()]);
      add(new Commands(program, terminal, end));
    } else program.command(name);
    program.commands
      .find((each) => each.name() === name)
      ?.description(does)
      .helpGroup(group);
  }
  return program;
}

/** Earlier spellings are understood, and not shown. */
function withoutAlias(command: Command, text: string): string {
  return text.replace(`|${command.alias()}`, '');
}

/** Commander has said what there is to say; asked for help it ends with 0. */
function statusOf(error: CommanderError): number {
  return error.exitCode === 0 ? 0 : EXIT_STATUS.usage;
}

function complain(error: unknown, terminal: Terminal): number {
  const { code, message, cause } = toAppError(error);
  const reason = code === 'internal' && cause instanceof Error ? ` (${cause.message})` : '';
  terminal.complain(visibleLines(`dropgate: ${message}${reason}`));
  return EXIT_STATUS[code];
}
