// The configuration of a daemon that runs: settings that may change while it does get new values in place, so that each part which reads a setting
// when it uses it goes by the new one.
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '#domain/json.ts';
import type { Config } from './config.ts';
import { SETTINGS, type Setting, type Table } from './settings.ts';

/** The names of settings that differ in a configuration that was read again. */
export interface Reloaded {
  /** In force from now on. */
  readonly changed: readonly string[];
  /** As they were until the next start. */
  readonly kept: readonly string[];
}

export class LiveConfig {
  /** For the parts: its sections are the same objects for as long as the daemon runs. */
  readonly config: Config;

  constructor(config: Config) {
    this.config = structuredClone(config);
  }

  /** Takes over what may change. */
  take(next: Config): Reloaded {
    const reloaded = { changed: [], kept: [] };
    takeOver(SETTINGS, [], this.config, next, reloaded);
    return reloaded;
  }
}

/** Whether a setting may get this value while the daemon runs. */
const MAY_CHANGE: Readonly<Record<Setting<unknown>['change'], (before: unknown, after: unknown) => boolean>> = {
  'at start': () => false,
  'at reload': () => true,
  // A listener that speaks plainly does not begin with TLS, nor the other way round.
  'at reload, if set': (before, after) => before !== null && after !== null,
};

type Names = Record<keyof Reloaded, string[]>;

function takeOver(table: Table, path: readonly string[], into: unknown, from: unknown, reloaded: Names): void {
  if (!isRecord(into) || !isRecord(from)) throw new RangeError(`${path.join('.')} is no section`);
  for (const [key, row] of Object.entries(table)) {
    const at = [...path, key];
    const [before, after] = [into[key], from[key]];
    if ('rows' in row) takeOver(row.rows, at, before, after, reloaded);
    else if (!isDeepStrictEqual(before, after)) {
      const may = MAY_CHANGE[row.change](before, after);
      reloaded[may ? 'changed' : 'kept'].push(at.join('.'));
      if (may) Object.assign(into, { [key]: after });
    }
  }
}
