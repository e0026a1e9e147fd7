// The seam between SFTP and views: folders of a home that nothing on disk stands behind. What is in them is written when a client asks.
import type { FolderNames } from './layout.ts';
import type { Naming } from './provider-names.ts';
import type { ViewName } from './rule-words.ts';

/** Who asks: a login, for one of its homes. */
export interface Asker {
  readonly login: string;
  readonly home: string;
  /** The home's folders by the names that the login sees. */
  readonly names: FolderNames;
  readonly naming: Naming;
}

export interface ViewFacts {
  readonly size: number;
  readonly mtimeMs: number;
}

export interface ViewEntry extends ViewFacts {
  readonly name: string;
}

export interface ViewFile {
  /** No view writes more than `VIEW_FILE_BYTES_MAX`. */
  readonly bytes: Uint8Array;
  readonly mtimeMs: number;
}

/** Names are text that a file can have: neither `/` nor a control character is in them, no dot begins them. Clients believe sizes: a file has the one that its folder showed. */
export interface View {
  /** Page by page, as the client reads on. */
  list(asker: Asker): AsyncIterable<readonly ViewEntry[]>;
  /** Null where there is no such file. Throws what `read` does. */
  stat(asker: Asker, name: string): Promise<ViewFacts | null>;
  /** Throws `quota` where a login has asked too much. */
  read(asker: Asker, name: string): Promise<ViewFile | null>;
}

/** What a server has: one row for each. */
export type Views = Readonly<Record<ViewName, View>>;

export const VIEW_FILE_BYTES_MAX = 4 * 2 ** 20;
