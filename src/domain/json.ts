// JSON from outside, and what we have written ourselves.
import { AppError } from './error.ts';

/** What no database keeps as text: U+0000, and half of a surrogate pair, which has no UTF-8. Undefined where a text holds none of it. */
export function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'U+0000';
  return text.isWellFormed() ? undefined : 'half of a surrogate pair';
}

/** The value of a JSON text. Throws `bad-request` when it is none, and when a name or a string in it cannot be kept. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, storable);
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('bad-request', 'The body is no JSON.', { cause: error });
  }
}

/** The same of UTF-8, too; undefined in place of an error. */
export function parsedJson(text: string | Uint8Array): unknown {
  try {
    return parseJson(typeof text === 'string' ? text : new TextDecoder().decode(text));
  } catch {
    return undefined;
  }
}

/** The value of a JSON text of ours. Throws `storage` with the sentence where it is not of the form. */
export function ownJson<Value>(text: string, form: { Check(value: unknown): value is Value }, sentence: string): Value {
  const value: unknown = JSON.parse(text);
  if (!form.Check(value)) throw new AppError('storage', sentence);
  return value;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Each name and value, as JSON.parse goes through them. */
function storable(name: string, value: unknown): unknown {
  const found = unstorable(name) ?? (typeof value === 'string' ? unstorable(value) : undefined);
  if (found !== undefined) throw new AppError('bad-request', `A string in the body holds ${found}: send it without.`);
  return value;
}
