// What all commands share: the --config option, and reading the configuration when one runs.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { AppError } from '#domain/error.ts';
import type { Config } from '#runtime/config/config.ts';
import { type LoadedConfig, loadConfig, USUAL_FILES } from '#runtime/config/file.ts';
import { duration } from '#runtime/config/kinds.ts';
import { isInstalled } from './ledgers.ts';
import type { Terminal } from './terminal.ts';

/**
 * Adds one command, or a group of them, below `parent`. A command that ends well has the exit status 0, unless it sets another one
 * by `end`; one that fails throws.
 */
export type AddCommand = (parent: Command, terminal: Terminal, end: (status: number) => void) => void;

export interface ConfigOptions {
  readonly config?: string;
}

export interface JsonOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** A command that works with a configuration. */
export function configured(parent: Command, nameAndArguments: string, description: string): Command {
  const usual = `the configuration file; without it the first that is there of ${USUAL_FILES.join(', ')}`;
  return parent.command(nameAndArguments).description(description).option('-c, --config <file>', usual);
}

/** What a command needs before it begins: ledgers; a file that says where they are to be; or that file alone. */
type Needed = 'ledgers' | 'file or ledgers' | 'file';

/**
 * The configuration that a command works with. Throws `usage` with the places where it looked when what it needs is not there: an empty
 * installation of its own would answer for the one that was meant.
 */
export function configOf({ config: named }: ConfigOptions, needed: Needed = 'ledgers'): LoadedConfig {
  const loaded = loadConfig(named, undefined);
  const { file, config } = loaded;
  if (file !== null && needed !== 'ledgers') return loaded;
  if (needed !== 'file' && isInstalled(config.data)) return loaded;
  const sentence =
    file === null
      ? `There is no configuration file: looked for ${USUAL_FILES.map((each) => resolve(each)).join(', ')}. Name it by --config; 'dropgate init DIR' writes one to start from.`
      : `There are no ledgers in ${config.data}, the data folder that ${resolve(file)} names: 'dropgate serve', 'account add', 'partner add' and 'apply' make them.`;
  throw new AppError('usage', sentence);
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.print(JSON.stringify(value));
}

/** What a command has changed, as a sentence, and in which installation: it may not be the one that was meant. */
export function tellDone(terminal: Terminal, { data }: Pick<Config, 'data'>, sentence: string): void {
  terminal.print(`${sentence.slice(0, -1)} (in ${data}).`);
}

/** The same of what a daemon in another process holds to: it looks for changes every second. */
export function tellSoon(terminal: Terminal, config: Pick<Config, 'data'>, sentence: string): void {
  tellDone(terminal, config, `${sentence.slice(0, -1)}; a daemon that runs takes it over within two seconds.`);
}

/** An empty list prints nothing; standard error says where there is none, so that it is not taken for another installation's. */
export function tellIfNone(terminal: Terminal, list: readonly unknown[], what: string, { data }: Config): void {
  if (list.length === 0) terminal.complain(`There are no ${what} in ${data}.`);
}

/** For options that may be given several times. */
export function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}

/** An option that is a duration, in milliseconds. Throws `usage`. */
export function durationOf(option: string, text: string, min: string, max: string): number {
  const reading = duration(min, max).read(text);
  if ('problem' in reading) throw new AppError('usage', `${option} ${reading.problem}.`);
  return reading.value;
}

/** As many as an option may count. */
const COUNT_MAX = 10_000_000;

/** The value of an option that counts: null for 'default', undefined where it was not given. Throws `usage`. */
export function countOf(option: string, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'default') return null;
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > COUNT_MAX) {
    throw new AppError('usage', `${option} must be a whole number from 1 to ${COUNT_MAX}, or 'default', not '${text}'.`);
  }
  return count;
}

/** A moment as people and programs read it; null stays null. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
