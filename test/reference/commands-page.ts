// docs/commands.md, written from the commands themselves: what each does, its arguments and its options.
import type { Argument, Command, Option } from 'commander';
import { assembleProgram } from '#cli/program.ts';
import { processTerminal } from '#cli/terminal.ts';

/** Every command has it, and it is told once. */
const COMMON = '--config';

const HEAD = `# Commands

Written from the commands (\`npm run commands:page\`). \`dropgate COMMAND --help\` says the same.

Each command that works on an installation takes \`-c, --config FILE\`: the configuration file; without it the first that is there of \`dropgate.yaml\`,
\`/etc/dropgate/dropgate.yaml\` and \`config/dropgate.yaml\`. [What to do with them](operations.md), [accounts and partners](accounts.md), [exit statuses](operations.md#exit-statuses).
`;

export async function commandsPage(): Promise<string> {
  const program = await assembleProgram(processTerminal, () => undefined);
  const commands = [...program.commands].sort(byName);
  return [HEAD, ...commands.map((command) => sectionOf(command, '##', ''))].join('\n');
}

function sectionOf(command: Command, heading: string, above: string): string {
  const name = `${above}${command.name()}`;
  const below = [...command.commands].sort(byName);
  if (below.length > 0)
    return [`${heading} ${name}\n\n${sentence(command)}\n`, ...below.map((each) => sectionOf(each, `${heading}#`, `${name} `))].join('\n');
  const words = [name, ...command.registeredArguments.map(argumentText)].join(' ');
  const options = command.options.filter((option) => option.long !== COMMON && !option.hidden);
  const rows = [...command.registeredArguments.filter(({ description }) => description !== '').map(argumentRow), ...options.map(optionRow)];
  const table = rows.length > 0 ? `\n| | |\n| --- | --- |\n${rows.join('\n')}\n` : '';
  return `${heading} ${name}\n\n\`dropgate ${words}\`: ${sentence(command)}\n${table}`;
}

const byName = (one: Command, other: Command): number => (one.name() < other.name() ? -1 : 1);
const sentence = (command: Command): string => inTable(command.description());

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

const argumentRow = (argument: Argument): string => `| \`${argumentText(argument)}\` | ${inTable(argument.description)} |`;

function optionRow({ flags, description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const choices = argChoices ? `; one of ${argChoices.join(', ')}` : '';
  const isTold = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  const fallback = defaultValueDescription ?? (isTold ? String(defaultValue) : '');
  return `| \`${flags.replaceAll('|', '\\|')}\` | ${inTable(description)}${choices}${fallback === '' ? '' : `; default ${fallback}`} |`;
}

const inTable = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
