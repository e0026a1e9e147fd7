// What all commands share of their options: the configuration that --config names, durations and counts.
import { resolve } from 'node:path';
import { Option } from 'commander';
import { AppError } from '#domain/error.ts';
import { isInstalled } from '#installation/data-folder.ts';
import { type LoadedConfig, loadConfig, loadFaulty, USUAL_FILES } from '#runtime/config/file.ts';

export interface ConfigOptions {
  readonly config?: string;
}

export interface JsonOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** What a command needs before it begins: ledgers; a file that says where they are to be; that file alone; or one that may have problems. */
export type Needed = 'ledgers' | 'file or ledgers' | 'file' | 'file, right or wrong';

/**
 * The configuration that a command works with. Throws `usage` with the places where it looked when what it needs is not there: an empty
 * installation of its own would answer for the one that was meant.
 */
export function configOf({ config: named }: ConfigOptions, needed: Needed = 'ledgers'): LoadedConfig {
  const loaded = needed === 'file, right or wrong' ? loadWrong(named) : loadConfig(named, undefined);
  const { file, config } = loaded;
  if (file !== null && needed !== 'ledgers') return loaded;
  if (needed !== 'file' && needed !== 'file, right or wrong' && isInstalled(config)) return loaded;
  const sentence =
    file === null
      ? `There is no configuration file: looked for ${USUAL_FILES.map((each) => resolve(each)).join(', ')}. Name it by --config; 'dropgate init DIR' writes one to start from.`
      : `There are no ledgers in ${config.data}, the data folder that ${resolve(file)} names: 'dropgate serve', 'account add', 'partner add' and 'apply' make them.`;
  throw new AppError('usage', sentence);
}

function loadWrong(named: string | undefined): LoadedConfig {
  const { config, refusal, ...loaded } = loadFaulty(named);
  if (config !== null) return { ...loaded, config };
  throw refusal ?? new AppError('internal', 'The configuration has no values.');
}

/** An option that takes one of some words. */
export function oneOf(flags: string, sentence: string, words: readonly string[]): Option {
  return new Option(flags, sentence).choices(words);
}

/** For options that may be given several times. */
export function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}

/** Of an option that may be given several times, each one of some words; in their order. Throws `usage`. */
export function wordsOf<Word extends string>(option: string, given: readonly string[], words: readonly Word[]): Word[] {
  const unknown = given.find((each) => !words.some((word) => word === each));
  if (unknown !== undefined) throw new AppError('usage', `${option} must be one of ${words.join(', ')}, not ${unknown}.`);
  return words.filter((word) => given.includes(word));
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
