// Operations and their faces: each has a command of its name, which says what the operation does.
import type { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { assembleProgram } from '#cli/program.ts';
import { processTerminal } from '#cli/terminal.ts';
import { OPERATIONS, type OperationName, sentenceOf } from '#operations/table.ts';

/** Operations without a command, and why. */
const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  'network.document': 'network show --write asks it',
  validate: 'dropgate validate judges files by itself, also where nothing is installed',
  'recover.new-key': 'recover --new-key asks it',
};

const NAMES = Object.keys(OPERATIONS) as OperationName[];
let commands: ReadonlyMap<string, Command>;

beforeAll(async () => {
  commands = new Map(leaves(await assembleProgram(processTerminal, () => undefined), []));
});

function leaves(command: Command, path: readonly string[]): [string, Command][] {
  if (command.commands.length === 0) return [[path.join('.'), command]];
  return command.commands.flatMap((each) => leaves(each, [...path, each.name()]));
}

describe('the operation', () => {
  it.each(NAMES.filter((name) => !(name in WITHOUT_COMMAND)))('%s has its command, with --json', (name) => {
    const command = commands.get(name);
    expect(command?.description()).toBe(sentenceOf(name));
    expect(command?.options.map(({ long }) => long)).toContain('--json');
  });

  it.each(NAMES)('%s has forms that say what they are', async (name) => {
    const { input, answer } = await OPERATIONS[name].load();
    expect(input).toMatchObject({ type: 'object' });
    expect(['object', 'array']).toContain('type' in answer ? answer.type : 'none');
  });
});

it('each operation without a command is one', () => {
  expect(Object.keys(WITHOUT_COMMAND).filter((name) => !(name in OPERATIONS))).toEqual([]);
});
