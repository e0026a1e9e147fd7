// Reads what the fault shim has written down: each durable call in the order in which it happened, and the marks of the test between them.

/** Kinds of a line: those of the shim's calls, both ends of a sync, and marks. `open` and `cut` come with an id, as `create` does. */
export type Noted =
  | 'create'
  | 'cut'
  | 'open'
  | 'write'
  | 'truncate'
  | 'sync-begin'
  | 'sync'
  | 'sync-failed'
  | 'rename'
  | 'link'
  | 'unlink'
  | 'mkdir'
  | 'rmdir'
  | 'close'
  | 'mark';

export interface Call {
  readonly kind: Noted;
  /** The open file, for as long as it is open: the process and its number; null for calls by name. */
  readonly file: string | null;
  /** Where bytes are written, the new length of a file, or what names the two ends of a sync. */
  readonly offset: number;
  readonly bytes: Buffer;
  /** Below the root; the text of a mark. */
  readonly path: string;
  /** The new name of a rename or link; what is opened as a folder has its path here, too. */
  readonly other: string;
}

const KINDS: ReadonlySet<string> = new Set<Noted>([
  'create',
  'cut',
  'open',
  'write',
  'truncate',
  'sync-begin',
  'sync',
  'sync-failed',
  'rename',
  'link',
  'unlink',
  'mkdir',
  'rmdir',
  'close',
  'mark',
]);

/** Throws where a line is none of the shim's. The last one may be half, when the process was killed while it wrote it. */
export function readJournal(journal: Buffer): Call[] {
  const calls: Call[] = [];
  for (let at = 0; at < journal.length; ) {
    const end = journal.indexOf('\n', at);
    if (end < 0) break;
    const [pid = '', kind = '', id = '', offset = '', length = '', path = '', other = ''] = journal.toString('utf8', at, end).split('\t');
    if (!isNoted(kind)) throw new Error(`no line of the fault journal: ${journal.toString('utf8', at, end)}`);
    const bytesEnd = end + 1 + Number(length);
    if (bytesEnd >= journal.length) break;
    const file = id === '0' ? null : `${pid}:${id}`;
    calls.push({ kind, file, offset: Number(offset), bytes: journal.subarray(end + 1, bytesEnd), path, other });
    at = bytesEnd + 1;
  }
  return calls;
}

function isNoted(kind: string): kind is Noted {
  return KINDS.has(kind);
}

/** Numbers of the marks with this text. */
export function marksIn(calls: readonly Call[], text: string): number[] {
  return calls.flatMap(({ kind, path }, at) => (kind === 'mark' && path === text ? [at] : []));
}
