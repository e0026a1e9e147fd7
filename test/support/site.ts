// A folder with a configuration for each test of a file, and commands that take it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type CommandResult, command } from './terminal.ts';

export interface Site {
  /** The path of something in the folder, or of the folder. */
  at(...names: string[]): string;
  /** The path of the configuration. */
  readonly config: string;
  /** Writes the configuration anew: these settings, and a data folder in which a gateway has worked before. */
  configure(settings: string, data?: string): void;
  /** What a command says it has done here; `soon`: what a daemon follows. */
  done(sentence: string): string;
  soon(sentence: string): string;
  /** Runs a command, `secret` on its standard input. */
  run(line: string, secret?: string): Promise<CommandResult>;
}

export function testSite(settings = ''): Site {
  let folder = '';
  const at = (...names: string[]): string => join(folder, ...names);
  const site: Site = {
    at,
    get config() {
      return at('dropgate.yaml');
    },
    configure(text, data = 'data') {
      writeFileSync(site.config, `data: ${at(data)}\n${text}\n`);
      mkdirSync(at(data, 'spool'), { recursive: true });
    },
    done: (sentence) => `${sentence} (in ${at('data')}).`,
    soon: (sentence) => site.done(`${sentence}; a daemon that runs takes it over within two seconds`),
    run: (line, secret) => command([...line.split(' '), '--config', site.config], secret),
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dropgate-cli-'));
    site.configure(settings);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return site;
}
