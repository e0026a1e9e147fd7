// How commands are made: each has an operation run with what its arguments and options say, and tells what came of it.
import type { Command } from 'commander';
import { visible } from '#domain/visible.ts';
import { type AnswerOf, type InputOf, type OperationName, sentenceOf } from '#operations/table.ts';
import type { Config } from '#runtime/config/config.ts';
import { USUAL_FILES } from '#runtime/config/file.ts';
import { ask } from './ask.ts';
import { type Cell, plainCell, shownCell, tableLines } from './cells.ts';
import { configOf, type JsonOptions, type Needed } from './options.ts';
import type { Terminal } from './terminal.ts';

/** Adds one command, or a group of them. One that fails throws. */
export type AddCommand = (commands: Commands) => void;

/** What a command has done, in a sentence; what else is to be said, and the facts in place of all that for --json. */
type Outcome = string | { readonly done: string; readonly more?: readonly (string | false)[]; readonly facts?: object };

/** One fact: its name, and what it is; null and '' are left out. */
export type Fact = readonly [name: string, cell: Cell];

/** What an operation is asked, made of the arguments and options of its command. */
type InputFor<Name extends OperationName, Given extends readonly unknown[]> = (...given: Given) => InputOf<Name> | Promise<InputOf<Name>>;
/** `given`: the arguments and options of the command. */
type Say<Answer, Given extends readonly unknown[] = []> = (answer: Answer, config: Config, ...given: Given) => void;

interface Asking<Answer> {
  /** The exit status. */
  readonly status?: (answer: Answer) => number;
  readonly needs?: Needed;
}

/** Columns of the names of facts, and what stands behind a longer one. */
const NAME_WIDTH = 19;
const GAP = 2;

/** Of what a row has nothing of at its end, nothing is said. */
function plainLine(cells: readonly Cell[]): string {
  const last = cells.findLastIndex((cell) => cell !== null);
  return cells
    .slice(0, last + 1)
    .map(plainCell)
    .join('\t');
}

const CONFIG = `the configuration file; without it the first that is there of ${USUAL_FILES.join(', ')}`;

/** Commands below the program, or below one of its groups. Each method returns the new command, for its options. */
export class Commands {
  readonly terminal: Terminal;
  /** Sets another exit status than 0 for a command that ends well. */
  readonly end: (status: number) => void;
  readonly #parent: Command;

  constructor(parent: Command, terminal: Terminal, end: (status: number) => void) {
    this.#parent = parent;
    this.terminal = terminal;
    this.end = end;
  }

  group(name: string): Commands {
    return new Commands(this.#parent.command(name), this.terminal, this.end);
  }

  /** Of a command of the program, its table says what it does. */
  command(usage: string, does = ''): Command {
    return this.#parent.command(usage).description(does);
  }

  /** A command that works with a configuration. */
  configured(usage: string, does = ''): Command {
    return this.command(usage, does).option('-c, --config <file>', CONFIG);
  }

  /** A command that has an operation run, and says what came of it. */
  asks<Name extends OperationName, Given extends readonly unknown[]>(
    usage: string,
    name: Name,
    input: InputFor<Name, Given>,
    say: Say<AnswerOf<Name>, Given>,
    { status = () => 0, needs }: Asking<AnswerOf<Name>> = {},
  ): Command {
    const command = this.configured(usage, sentenceOf(name)).option('--json', 'print the answer as JSON, of a list one object a line');
    return command.action(async (...given: Given) => {
      const options = command.opts<JsonOptions>();
      const { config } = configOf(options, needs);
      const answer = await ask(config, name, await input(...given), this.terminal);
      this.end(status(answer));
      this.answer(answer, options, () => say(answer, config, ...given));
    });
  }

  /** Says what was done, and in which installation: it may not be the one that was meant. */
  outcome<Answer, Given extends readonly unknown[] = []>(told: (answer: Answer, ...given: Given) => Outcome): Say<Answer, Given> {
    return (answer, config, ...given) => this.tell(config, {}, told(answer, ...given));
  }

  /** Shows a table on a terminal, and lines with tabs otherwise. `what`: `There are no …`, which stands on standard error. */
  table<Row>(what: string, columns: Readonly<Record<string, (row: Row) => Cell>>): Say<readonly Row[]> {
    return (rows, { data }) => {
      if (rows.length === 0) this.terminal.complain(`There are no ${what} in ${data}.`);
      const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
      const { style } = this.terminal;
      const lines = style && rows.length > 0 ? tableLines(Object.keys(columns), cells, style) : cells.map(plainLine);
      for (const line of lines) this.terminal.print(line);
    };
  }

  /** Shows one thing, a fact a line; what is empty is left out. */
  facts<Answer>(told: (answer: Answer) => readonly Fact[]): Say<Answer> {
    return (answer) => {
      const { style } = this.terminal;
      const facts = told(answer)
        .map(([name, cell]) => [name, style ? shownCell(cell, style) : plainCell(cell)] as const)
        .filter(([, value]) => value !== '');
      const width = Math.max(NAME_WIDTH, ...facts.map(([name]) => name.length + GAP));
      for (const [name, value] of facts) this.terminal.print(`${name.padEnd(width)}${value}`);
    };
  }

  /** Says in which installation it was done: it may not be the one that was meant. */
  tell({ data }: Pick<Config, 'data'>, { json }: JsonOptions, outcome: Outcome): void {
    const { done, more = [], facts } = typeof outcome === 'string' ? { done: outcome, facts: undefined } : outcome;
    if (json && facts) this.printJson(facts);
    else for (const line of [`${done.slice(0, -1)} (in ${data}).`, ...more]) if (line !== false) this.terminal.print(line);
  }

  /** Prints an answer as JSON, of a list one object a line; or says it. */
  answer(answer: unknown, { json }: JsonOptions, say: () => void): void {
    if (!json) say();
    else for (const each of Array.isArray(answer) ? answer : [answer]) this.printJson(each);
  }

  printJson(value: unknown): void {
    this.terminal.print(visible(JSON.stringify(value)));
  }
}

/** Of what a daemon in another process holds to: it looks for changes every second. */
export function soon(sentence: string): string {
  return `${sentence.slice(0, -1)}; a daemon that runs takes it over within two seconds.`;
}
