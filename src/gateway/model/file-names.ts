// File names that we give in a home: readable, safe on every system that mounts it, short enough, and tied to their item.
import { isUtf8 } from 'node:buffer';
import { shortId } from '#domain/id.ts';
import { receiptName, type Stage } from '#domain/receipt.ts';
import type { ReceiptForm } from '#domain/receipt-forms.ts';
import type { ByteName } from './intake.ts';
import type { Charset } from './rule-words.ts';

/** Bytes of a client's name that are kept, so that what we add still fits 255. */
const NAME_BYTES_MAX = 210;
/** Of any file system. */
const FILE_NAME_BYTES_MAX = 255;
/** Bytes of an outbox name at the most. */
const OUTBOX_BYTES_MAX = 200;

/** The name as text, in the login's charset or, without one, UTF-8 where it is, Latin-1 otherwise; control characters and separators become `_`. */
export function nameText(name: ByteName, charset?: Charset): string {
  const text = charset === undefined ? textOf(name) : decoded(name, charset);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must go
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f/\\]/g, '_');
}

/** The name as text, all of it: UTF-8 where it is, Latin-1 otherwise. So the ledger has the names of published files, which are ours, or which a client has given them. */
export function textOf(name: ByteName): string {
  const bytes = Buffer.from(name, 'latin1');
  const utf8 = bytes.toString('utf8');
  return Buffer.from(utf8, 'utf8').equals(bytes) ? utf8 : name;
}

function decoded(name: ByteName, charset: Charset): string {
  // The decoder of that name is one for windows-1252.
  return charset === 'latin1' ? name : new TextDecoder(charset).decode(Buffer.from(name, 'latin1'));
}

/** The name of an original in accepted/ or refused/: `invoice.3k9x2m7q.xml`. */
export function originalName(fileName: ByteName, item: string, charset?: Charset): string {
  const text = droppedName(fileName, charset);
  const dot = text.lastIndexOf('.');
  return dot > 0 ? `${text.slice(0, dot)}.${shortId(item)}${text.slice(dot)}` : `${text}.${shortId(item)}`;
}

const OF_DUPLICATE = '.duplicate';

/**
 * The name of the original of a duplicate, for logins that see those in a folder of their own: `invoice.3k9x2m7q.duplicate.xml`. No other original is named
 * so: the item stands there. Undefined where it is no name of an original.
 */
export function duplicateName(original: string): string | undefined {
  const dot = original.lastIndexOf('.');
  return dot > 0 ? `${original.slice(0, dot)}${OF_DUPLICATE}${original.slice(dot)}` : undefined;
}

/** The original whose name that is, as it is named where duplicates lie among the others; undefined for any other name. */
export function nameOfDuplicate(name: string): string | undefined {
  const dot = name.lastIndexOf('.');
  const start = name.slice(0, Math.max(dot, 0));
  return start.endsWith(OF_DUPLICATE) && start.length > OF_DUPLICATE.length
    ? `${start.slice(0, -OF_DUPLICATE.length)}${name.slice(dot)}`
    : undefined;
}

/** The name of the suggested repair of a refused original, beside it: `invoice.3k9x2m7q.suggested.xml`. */
export function suggestedName(fileName: ByteName, item: string, charset?: Charset): string {
  const text = droppedName(fileName, charset);
  const dot = text.lastIndexOf('.');
  return `${dot > 0 ? text.slice(0, dot) : text}.${shortId(item)}.suggested.xml`;
}

/** The name of a receipt: `invoice.xml.3k9x2m7q.accepted.json`. */
export function nameOfReceipt(fileName: ByteName, item: string, stage: Stage, form: ReceiptForm, charset?: Charset): string {
  return receiptName(droppedName(fileName, charset), shortId(item), stage, form);
}

/** The name under which a file was dropped, as far as it is safe. */
export function droppedName(fileName: ByteName, charset?: Charset): string {
  return safe(nameText(fileName, charset));
}

/** Windows takes these for devices, whatever follows the first dot; a home may be mounted there. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])\s*(?:\.|$)/i;

/** What some file system has in no name, or that nobody would see in one; `%`, which begins what stands for them. */
const UNUSABLE = /[%/\\:*?"<>|\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|^[.\s]/gu;

/** The number of a document as the name of a file, from which it can be told again: `F%2F2026.txt`. Null where no name is so long. */
export function nameOfNumber(number: string, ending: string): string | null {
  const start = number.replaceAll(UNUSABLE, escapedBytes);
  const name = `${DEVICE.test(`${start}${ending}`) ? escapedBytes(start.charAt(0)) + start.slice(1) : start}${ending}`;
  return Buffer.byteLength(name) <= FILE_NAME_BYTES_MAX ? name : null;
}

/** The number whose name that is; null where it is none's. */
export function numberNamed(name: string, ending: string): string | null {
  if (!name.endsWith(ending)) return null;
  const number = name
    .slice(0, -ending.length)
    .replaceAll(/(?:%[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
  return number !== '' && nameOfNumber(number, ending) === name ? number : null;
}

function escapedBytes(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function safe(text: string): string {
  // A name that begins with a dot is shown neither by ls nor by a pattern.
  const seen = text.replace(/^\./, '_');
  return cut(DEVICE.test(seen) ? `_${seen}` : seen, NAME_BYTES_MAX);
}

export interface OutboxDocument {
  /** Whose it is, in an outbox of several accounts. */
  readonly account: string | null;
  readonly date: string;
  readonly family: string;
  readonly documentId: string;
  readonly sender: string;
  readonly integrationId: string;
  /** 1 for the first. */
  readonly version: number;
}

/** `2026-11-21_Invoice_1001_0088-7300010000001_1a2b3c4d.xml`, behind the account where it shares the outbox; only letters, digits, dot, hyphen and underscore. */
export function outboxName(document: OutboxDocument): string {
  const { account, date, family, documentId, sender, integrationId, version } = document;
  const end = `_${clean(integrationId.replaceAll('-', '').slice(-8))}${version > 1 ? `~${version}` : ''}.xml`;
  const start = [...(account === null ? [] : [clean(account)]), date, family, clean(documentId), clean(sender.replaceAll(':', '-'))].join(
    '_',
  );
  return `${cut(start, OUTBOX_BYTES_MAX - end.length)}${end}`;
}

function clean(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9.-]+/g, '-');
}

function cut(text: string, bytesMax: number): string {
  let kept = text;
  while (Buffer.byteLength(kept) > bytesMax) kept = kept.slice(0, -1);
  return kept.isWellFormed() ? kept : kept.slice(0, -1);
}

/** The name as sessions see it that did not send it: clients fail on a whole listing when one name of it is not UTF-8. `caf%E9.xml` */
export function shownName(name: ByteName): ByteName {
  if (isUtf8(Buffer.from(name, 'latin1'))) return name;
  return name.replaceAll(/[%\u0080-\u00ff]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The name that is shown so; undefined when it would be shown as it is. */
export function nameShownAs(shown: ByteName): ByteName | undefined {
  const name = shown.replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return name !== shown && shownName(name) === shown ? name : undefined;
}
