// Pages of man(1), written from the commands and the settings themselves: dropgate(1), one for each of its commands, and dropgate.yaml(5).
import type { Argument, Command, Option } from 'commander';
import { assembleProgram } from '#cli/program.ts';
import { processTerminal } from '#cli/terminal.ts';
import { SETTINGS, type Table } from '#runtime/config/settings.ts';

export interface ManPage {
  /** As dropgate-account.1 */
  readonly name: string;
  readonly text: string;
}

export async function manPages(day: string): Promise<ManPage[]> {
  const program = await assembleProgram(processTerminal, () => undefined);
  const page = (name: string, section: number, does: string, ...body: string[]): ManPage => ({
    name: `${name}.${section}`,
    text: [
      `.TH ${roff(name.toUpperCase())} ${section} ${day} Dropgate`,
      `.SH NAME\n${roff(name)} \\- ${roff(does)}`,
      ...body,
      '.SH SEE ALSO\nfile:///usr/share/doc/dropgate/',
      '',
    ].join('\n'),
  });
  return [
    page(
      'dropgate',
      1,
      program.description(),
      '.SH SYNOPSIS\n.B dropgate\n.I command\n\\fR[options]',
      '.SH COMMANDS',
      ...groupsOf(program),
    ),
    ...program.commands.map((command) =>
      page(`dropgate-${command.name()}`, 1, command.description(), '.SH COMMANDS', ...entriesOf(command, 'dropgate')),
    ),
    page('dropgate.yaml', 5, 'the settings of Dropgate', '.SH SETTINGS', ...settingsIn(SETTINGS, '')),
  ];
}

function groupsOf(program: Command): string[] {
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup());
  return [...groups].map(([group, commands]) =>
    [`.SS ${roff(group)}`, ...commands.map((command) => item(`dropgate-${command.name()}(1)`, command.description()))].join('\n'),
  );
}

/** A command with its arguments and options, or those below it. */
function entriesOf(command: Command, above: string): string[] {
  const name = `${above} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((each) => entriesOf(each, name));
  const words = [name, ...command.registeredArguments.map(argumentText)].join(' ');
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    `.SS "${roff(words)}"\n${roff(command.description())}`,
    ...command.registeredArguments
      .filter(({ description }) => description !== '')
      .map((each) => item(argumentText(each), each.description)),
    ...options.map((option) => item(option.flags, optionText(option))),
  ];
}

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function optionText({ description, argChoices }: Option): string {
  return argChoices ? `${description}; one of ${argChoices.join(', ')}` : description;
}

function settingsIn(table: Table, above: string): string[] {
  return Object.entries(table).flatMap(([key, row]) =>
    'rows' in row
      ? settingsIn(row.rows, `${above}${key}.`)
      : [item(`${above}${key}`, `${row.sentence} (default: ${JSON.stringify(row.default)}${row.change === 'at start' ? '' : '; reload'})`)],
  );
}

const item = (term: string, text: string): string => `.TP\n.B ${roff(term)}\n${roff(text)}`;

/** A line that begins with a dot or an apostrophe would be a request, and a plain hyphen no minus. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('\n', ' ')
    .replace(/^(?=[.'])/, '\\&');
}
