// Words that are no commands here: what was meant by them.
import type { Command } from 'commander';
import { nearest } from '#domain/nearest.ts';

const LOGS = 'the daemon writes its log to standard output; journalctl -u dropgate, where systemd runs it';

/** Words that others have for a command, some of them behind one that has none below it; and what they are called here. */
const MEANT: Readonly<Record<string, string>> = {
  where: 'find',
  search: 'find',
  list: 'items',
  ls: 'items',
  show: 'item',
  retry: 'resend',
  user: 'login',
  users: 'login list',
  version: '--version',
  start: 'serve',
  run: 'serve',
  check: 'check-config',
  config: 'check-config',
  'items list': 'items',
  'items ls': 'items',
  'items show': 'item',
  'item list': 'items',
  'item show': 'item',
  'outbox list': 'outbox',
  'outbox show': 'outbox',
  'nodes list': 'nodes',
  'connections list': 'connections',
};

/** And what is no command at all. */
const INSTEAD: Readonly<Record<string, string>> = {
  log: LOGS,
  logs: LOGS,
  stop: 'the daemon ends at SIGTERM; systemctl stop dropgate sends it',
  restart: 'systemctl restart dropgate, where systemd runs it',
};

/** Words that others have for a command of a group: the first of these that the group has. */
const MEANT_IN_GROUPS: Readonly<Record<string, readonly string[]>> = {
  create: ['add'],
  new: ['add'],
  register: ['add'],
  delete: ['remove'],
  del: ['remove'],
  rm: ['remove'],
  edit: ['set'],
  update: ['set'],
  change: ['set'],
  modify: ['set'],
  passwd: ['set-password'],
  password: ['set-password'],
  ls: ['list'],
  show: ['list'],
  get: ['show', 'list'],
  view: ['show', 'list'],
  info: ['show', 'list'],
  lock: ['disable'],
  block: ['disable'],
  suspend: ['disable'],
  unlock: ['enable'],
  unblock: ['enable'],
  check: ['verify', 'test'],
  verify: ['check'],
  rotate: ['rotate-key'],
  retry: ['replay'],
  resend: ['retry', 'replay'],
  attach: ['link'],
  detach: ['unlink'],
};

/** What these take away does not come back by another command: nobody is led to one by a word that only looks like it. */
const TAKES_AWAY = /^(?:erase|remove|unlink|take-back)/;

/** What to say of a command line whose first word, or second one, is no command; undefined where commander may read it. */
export function insteadOf(program: Command, [name = '', word = '']: readonly string[]): string | undefined {
  if (!mayBeCommand(name)) return undefined;
  const command = commandOf(program, name);
  if (!command) {
    const instead = ownOf(INSTEAD, name);
    return instead === undefined ? noCommand(program, '', name, ownOf(MEANT, name)) : `There is no command '${name}': ${instead}.`;
  }
  if (!mayBeCommand(word) || commandOf(command, word)) return undefined;
  if (command.commands.length > 0) {
    const meant = ownOf(MEANT_IN_GROUPS, word)?.find((each) => commandOf(command, each));
    return noCommand(command, `${name} `, word, meant);
  }
  const meant = ownOf(MEANT, `${name} ${word}`);
  return meant && noCommand(program, '', `${name} ${word}`, meant);
}

/** `path`: of the words before this one. Without a table's word a near one of the commands that are there. */
function noCommand(above: Command, path: string, word: string, meant = nearOf(above, word)): string {
  const next = meant === undefined ? `'dropgate ${path}--help' shows what there is.` : `did you mean 'dropgate ${path}${meant}'?`;
  return `There is no command '${path}${word}'; ${next}`;
}

function nearOf({ commands }: Command, word: string): string | undefined {
  const names = commands.map((each) => each.name());
  return nearest(
    word,
    names.filter((name) => !TAKES_AWAY.test(name)),
  );
}

/** Options, and the word help, are commander's. */
function mayBeCommand(word: string): boolean {
  return word !== '' && word !== 'help' && !word.startsWith('-');
}

function commandOf({ commands }: Command, word: string): Command | undefined {
  return commands.find((each) => [each.name(), ...each.aliases()].includes(word));
}

function ownOf<Meant>(table: Readonly<Record<string, Meant>>, word: string): Meant | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
