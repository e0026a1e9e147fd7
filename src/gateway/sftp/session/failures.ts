// Why uploads of a session failed, for clients that hear nothing of failed WRITEs and CLOSEs and ask for the file afterwards.

import type { ByteName } from '#gateway/model/intake.ts';
import { formatPath, parsePath } from '#gateway/sftp/protocol/paths.ts';

const KEPT_MAX = 16;

export interface Failures {
  /** Remembers the sentence; the oldest one is forgotten when there are many. */
  set(path: ByteName, sentence: string): void;
  get(path: ByteName): string | undefined;
  /** The path is uploaded anew. */
  forget(path: ByteName): void;
}

export function openFailures(): Failures {
  const sentences = new Map<string, string>();
  const key = (path: ByteName): string => formatPath(parsePath(path));
  return {
    set(path, sentence) {
      sentences.set(key(path), sentence);
      const [oldest] = sentences.keys();
      if (sentences.size > KEPT_MAX && oldest !== undefined) sentences.delete(oldest);
    },
    get: (path) => sentences.get(key(path)),
    forget: (path) => void sentences.delete(key(path)),
  };
}
