// What all commands share: the --config option, and reading the configuration when one runs.
import type { Command } from 'commander';
import { AppError } from '#domain/error.ts';
import { type LoadedConfig, loadConfig, USUAL_FILES } from '#runtime/config-file.ts';
import { duration } from '#runtime/kinds.ts';
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

export function configOf({ config }: ConfigOptions, role?: string): LoadedConfig {
  return loadConfig(config, role);
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.print(JSON.stringify(value));
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
