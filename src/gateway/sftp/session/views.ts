// Views in a session: their files are listed and read as others are, and nothing can be changed in them.
import { AppError } from '#domain/error.ts';
import { type ByteName, toByteName } from '#gateway/model/intake.ts';
import type { FolderNames } from '#gateway/model/layout.ts';
import type { Naming } from '#gateway/model/provider-names.ts';
import type { Asker, View, ViewEntry, ViewFile, Views } from '#gateway/model/view.ts';
import { toText } from '#gateway/sftp/protocol/paths.ts';
import type { Facts, Listed } from '#gateway/sftp/protocol/replies.ts';
import type { HomeView, NodeOf } from './tree.ts';

/** Of a login, in all of its sessions. */
const OPEN_BYTES_MAX = 16 * 2 ** 20;

/** Names that no file of a view has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what no name has
const UNSAFE = /^\.|[\u0000-\u001f\u007f/]/;

/** What files of views hold that are open, by the login that reads them: each holds its bytes in memory. */
export class ViewBytes {
  readonly #open = new Map<string, number>();

  /** Dispose of it when the file is closed. Throws `quota`. */
  hold(login: string, bytes: number): Disposable {
    const sum = (this.#open.get(login) ?? 0) + bytes;
    if (sum > OPEN_BYTES_MAX) throw new AppError('quota', 'too many files of such folders are open; close some first');
    this.#open.set(login, sum);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#give(login, bytes);
        isHeld = false;
      },
    };
  }

  #give(login: string, bytes: number): void {
    const left = (this.#open.get(login) ?? 0) - bytes;
    if (left > 0) this.#open.set(login, left);
    else this.#open.delete(login);
  }
}

/** A file of a view that a client is reading, as it was when it was opened. */
export class ViewDownload {
  readonly #file: ViewFile;
  readonly #held: Disposable;
  readonly #check: () => void;

  /** `check` throws when the file may not be read any more. */
  constructor(file: ViewFile, held: Disposable, check: () => void) {
    this.#file = file;
    this.#held = held;
    this.#check = check;
  }

  stat(): Facts {
    return { kind: 'file', size: this.#file.bytes.length, mtimeMs: this.#file.mtimeMs };
  }

  async read(offset: number, into: Buffer, start: number): Promise<number> {
    this.#check();
    const piece = this.#file.bytes.subarray(offset, offset + into.length - start);
    into.set(piece, start);
    return piece.length;
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }
}

/** What a session must have to show views. */
export interface ViewParts {
  readonly views: Views;
  readonly viewBytes: ViewBytes;
  readonly login: { readonly login: string };
  readonly names: FolderNames;
  readonly naming: Naming;
}

export async function statView({ views, ...parts }: ViewParts, { at, name }: NodeOf<'view-file'>): Promise<Facts | null> {
  const text = nameIn(name);
  const facts = text === null ? null : await views[at.view].stat(askerOf(parts, at), text);
  return facts && { kind: 'file', size: facts.size, mtimeMs: facts.mtimeMs };
}

/** Null where there is no such file. Throws `quota`. */
export async function openView(
  { views, viewBytes, ...parts }: ViewParts,
  { at, name }: NodeOf<'view-file'>,
  check: () => void,
): Promise<ViewDownload | null> {
  const text = nameIn(name);
  const file = text === null ? null : await views[at.view].read(askerOf(parts, at), text);
  return file && new ViewDownload(file, viewBytes.hold(parts.login.login, file.bytes.length), check);
}

/** `check` throws when the login may not read on. */
export async function* listView({ views, ...parts }: ViewParts, at: HomeView, check: () => void): AsyncGenerator<readonly Listed[]> {
  const view: View = views[at.view];
  for await (const page of view.list(askerOf(parts, at))) {
    yield page.map(listed);
    check();
  }
}

export function readsOnly({ view }: HomeView): AppError {
  return new AppError('forbidden', `${view} is written by the server; its files can be read, and nothing in it can be changed`);
}

function listed({ name, size, mtimeMs }: ViewEntry): Listed {
  return { name: toByteName(name), kind: 'file', size, mtimeMs };
}

function askerOf({ login, names, naming }: Pick<ViewParts, 'login' | 'names' | 'naming'>, { home }: HomeView): Asker {
  return { login: login.login, home, names, naming };
}

function nameIn(name: ByteName): string | null {
  const text = toText(name);
  return text === null || UNSAFE.test(text) ? null : text;
}
