// Where the configuration comes from: the file that was named, or the first of the usual ones.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { AppError, messageOf } from '#domain/error.ts';
import { type Config, type ConfigText, type FaultyConfig, type ReadConfig, readConfig, readFaulty } from './config.ts';
import { environment } from './environment.ts';
import { content, type Sources } from './kinds.ts';
import { passedSocket } from './passed-socket.ts';

/** Looked for in this order when no file is named; without any, every setting has its default. */
export const USUAL_FILES = ['dropgate.yaml', '/etc/dropgate/dropgate.yaml', 'config/dropgate.yaml'] as const;

const FILE_BYTES_MAX = 1_048_576;

export interface LoadedConfig extends ReadConfig {
  /** The file it came from; null when there was none. */
  readonly file: string | null;
}

function sources(): Sources {
  return { folder: process.cwd(), file: (path) => readFileSync(path, 'utf8'), environment };
}

/** A secret by the place where it is kept. `what` begins the sentence when it is not there. Throws `usage`. */
export function secretIn(place: { readonly file: string } | { readonly env: string }, what: string): string {
  const reading = content.read(place, sources());
  if ('problem' in reading) throw new AppError('usage', `${what} ${reading.problem}.`);
  return reading.value.trim();
}

/** Throws `usage` with a sentence when the file is not there, or with every problem of it. */
export function loadConfig(named: string | undefined, role: string | undefined): LoadedConfig {
  const file = named ?? usualFile();
  return { ...readConfig(given(file, role)), file };
}

/** As `loadConfig`, also where the file has problems. Throws `usage` where it is not there. */
export function loadFaulty(named: string | undefined): FaultyConfig & { readonly file: string | null } {
  const file = named ?? usualFile();
  return { ...readFaulty(given(file, undefined)), file };
}

function given(file: string | null, role: string | undefined): ConfigText {
  return { name: file ?? 'the configuration', text: file === null ? '' : textOf(file), sources: sources(), role };
}

/** The file that is taken when none is named; null when none of the usual ones is there. */
export function usualFile(): string | null {
  return USUAL_FILES.find((usual) => existsSync(usual)) ?? null;
}

function textOf(file: string): string {
  try {
    if (statSync(file).size > FILE_BYTES_MAX) throw new Error(`it is longer than ${FILE_BYTES_MAX} bytes`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AppError(
      'usage',
      `The configuration ${file} cannot be read (${messageOf(error)}); 'dropgate init DIR' writes one to start from.`,
    );
  }
}

/** The descriptor of the socket that systemd passes for the core; null when it passes none. Throws `usage` for one that nobody would answer. */
export function passedByStarter(role: Config['role']): number | null {
  const passed = passedSocket(environment, process.pid);
  if (passed !== null && role === 'gateway')
    throw new AppError('usage', 'systemd passes a socket for the core, and role gateway has none: stop and disable dropgate.socket.');
  return passed;
}
