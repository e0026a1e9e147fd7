// Whether the bytes of a file are a whole document, or a program is still writing them.
import { AppError } from '#domain/error.ts';
import { inspect } from '#gateway/reader/inspect.ts';

type Verdict =
  | 'whole'
  /** It ends early, or has gaps that were not written yet. */
  | 'unfinished'
  /** It is not a document, and a later write would not make it one. */
  | 'unreadable';

/** Beginnings of text, one character per byte: white space or a byte order mark before `<`, `{` or `[`; NULs, where nothing was written yet. */
const TEXT = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*(?:[<{[]|$)/;
const BEGINNING_BYTES = 64;

export async function judge(bytes: Buffer): Promise<Verdict> {
  if (hasHole(bytes)) return 'unfinished';
  try {
    await inspect(bytes);
    return 'whole';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.facts.truncated === true) return 'unfinished';
    return error.code === 'invalid' ? 'whole' : 'unreadable';
  }
}

/**
 * Space that was set aside (fallocate, Samba, a size that is set first) reads as NULs until it is written. Text has none; in UTF-16 a half
 * of a character may be one, but never a whole character.
 */
function hasHole(bytes: Buffer): boolean {
  const first = bytes.indexOf(0);
  if (first < 0 || !TEXT.test(bytes.toString('latin1', 0, BEGINNING_BYTES))) return false;
  if (!isUtf16(bytes)) return true;
  for (let at = first - (first % 2); at < bytes.length; at += 2) if (bytes[at] === 0 && (bytes[at + 1] ?? 0) === 0) return true;
  return false;
}

function isUtf16(bytes: Buffer): boolean {
  const [one = 0, two = 0] = bytes;
  return (one === 0xff && two === 0xfe) || (one === 0xfe && two === 0xff) || (one === 0) !== (two === 0);
}
