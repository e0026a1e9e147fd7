// What a check has found, and what it is about: the configuration, and the machine and the data folder as they are now.
import type { Config } from '#runtime/config/config.ts';

export interface Site {
  readonly config: Config;
  /** A daemon works on the data folder: what it holds is its own. */
  readonly isRunning: boolean;
  readonly nowMs: number;
  /** Settings of which nothing is known, for the file is wrong there: in the configuration stand defaults. */
  readonly doubtful: readonly string[];
  /** The data folder of this node is not the one that the others share: that is told already, and what it misses is not lost. */
  readonly isFolderUnlike: boolean;
}

export interface Finding {
  /** A problem keeps the daemon, or a part of it, from its work. */
  readonly state: 'well' | 'warning' | 'problem';
  readonly sentence: string;
  /** How to mend it; '' where nothing is to be. */
  readonly remedy: string;
}

export type Check = (site: Site) => Promise<readonly Finding[]>;

export const well = (sentence: string): Finding => ({ state: 'well', sentence, remedy: '' });
export const warning = (sentence: string, remedy: string): Finding => ({ state: 'warning', sentence, remedy });
export const problem = (sentence: string, remedy: string): Finding => ({ state: 'problem', sentence, remedy });
