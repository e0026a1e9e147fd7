// A list answer, read as it arrives: the identity of each message, and the bytes of its document handed on, so that a page of long documents
// is never held whole. It finds its way by brackets and strings and judges nothing else: what it finds says only what to look at.
import { parsedJson } from '#domain/json.ts';

/** What is found, in order. */
interface ListFound {
  /** Bytes of the document of the message under way, without white space between tokens. They are overwritten by the next call. */
  document(bytes: Uint8Array): void;
  /** A message has ended; undefined when it has no usable integrationId. */
  message(integrationId: string | undefined): void;
}

const ID_BYTES_MAX = 1_000;
const DEPTH_MAX = 10_000;
/** Where messages are: in the array `data` of the one object. */
const MESSAGE_DEPTH = 3;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const SPACE = 0x20;

export class ListScan {
  readonly #family: string;
  readonly #found: ListFound;
  /** Containers that are open: true for an object. */
  readonly #open: boolean[] = [];
  #inString = false;
  #escaped = false;
  /** Bytes of the string under way, where it may be a key, a status or an identity; null elsewhere. */
  #kept: number[] | null = null;
  /** The string that ended last, where it was kept. */
  #text: string | undefined;
  /** Keys under which the value under way stands: in the envelope, and in the message. */
  #keys: [string | undefined, string | undefined] = [undefined, undefined];
  #integrationId: string | undefined;
  #isList = false;
  #succeeded = false;
  #failed = false;
  #ended = false;
  #out = new Uint8Array(0);
  #outLength = 0;

  /** `family`: the key of the document in a message. */
  constructor(family: string, found: ListFound) {
    this.#family = family;
    this.#found = found;
  }

  write(bytes: Uint8Array): void {
    if (this.#out.length < bytes.length) this.#out = new Uint8Array(bytes.length);
    for (let at = 0; at < bytes.length && !this.#failed; at++) {
      if (this.#inString && !this.#escaped && !this.#kept) at = this.#passText(bytes, at);
      if (at < bytes.length) this.#take(bytes[at] ?? 0);
    }
    this.#flush();
  }

  /** True when it was a list of a successful answer, and complete. */
  end(): boolean {
    return !this.#failed && this.#ended && this.#isList && this.#succeeded;
  }

  /** Hands on what a string says, at once, and returns where that ends: nearly all bytes of a list are of this kind. */
  #passText(bytes: Uint8Array, from: number): number {
    let to = from;
    for (let byte = bytes[to]; byte !== undefined && byte !== QUOTE && byte !== BACKSLASH; ) byte = bytes[++to];
    if (this.#isInDocument()) {
      this.#out.set(bytes.subarray(from, to), this.#outLength);
      this.#outLength += to - from;
    }
    return to;
  }

  #take(byte: number): void {
    if (this.#inString) this.#takeInString(byte);
    else if (byte === QUOTE) this.#openString(byte);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#close(byte);
    else if (byte > SPACE) this.#takeMark(byte);
  }

  #takeInString(byte: number): void {
    this.#hand(byte);
    if (this.#kept && this.#kept.length <= ID_BYTES_MAX) this.#kept.push(byte);
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#closeString();
  }

  #openString(byte: number): void {
    this.#inString = true;
    this.#kept = this.#open.length === 1 || this.#open.length === MESSAGE_DEPTH ? [byte] : null;
    this.#hand(byte);
  }

  #closeString(): void {
    this.#inString = false;
    this.#text = this.#kept ? textOf(this.#kept) : undefined;
    this.#kept = null;
  }

  #takeMark(byte: number): void {
    if (byte === COMMA) this.#endValue();
    this.#hand(byte);
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#openContainer(byte === OPEN_OBJECT);
    else if (byte === COLON) this.#setKey(this.#text);
    else if (this.#open.length === 0) this.#failed = true;
  }

  #openContainer(isObject: boolean): void {
    if (this.#ended || this.#open.length >= DEPTH_MAX) this.#failed = true;
    this.#open.push(isObject);
    this.#text = undefined;
    if (this.#open.length === 2 && this.#keys[0] === 'data' && !isObject) this.#isList = true;
    if (this.#isMessage()) this.#integrationId = undefined;
  }

  #close(byte: number): void {
    this.#endValue();
    this.#hand(byte);
    const wasMessage = this.#isMessage();
    if (this.#open.pop() !== (byte === CLOSE_OBJECT)) this.#failed = true;
    if (wasMessage) {
      this.#flush();
      this.#found.message(this.#integrationId);
    }
    if (this.#open.length === 0) this.#ended = true;
    this.#text = undefined;
  }

  #setKey(key: string | undefined): void {
    if (this.#open.length === 1) this.#keys = [key, undefined];
    else if (this.#isMessage()) this.#keys[1] = key;
    this.#text = undefined;
  }

  /** A member of the envelope or of a message is over. */
  #endValue(): void {
    if (this.#open.length === 1) {
      if (this.#keys[0] === 'status') this.#succeeded = this.#text === 'success';
      this.#keys[0] = undefined;
    } else if (this.#isMessage()) {
      if (this.#keys[1] === 'integrationId') this.#integrationId = this.#text || undefined;
      this.#keys[1] = undefined;
    }
  }

  /** In an object of the array `data`, and not deeper. */
  #isMessage(): boolean {
    return this.#open.length === MESSAGE_DEPTH && this.#keys[0] === 'data' && this.#open[1] === false && this.#open[2] === true;
  }

  #hand(byte: number): void {
    if (this.#isInDocument()) this.#out[this.#outLength++] = byte;
  }

  #isInDocument(): boolean {
    return this.#keys[1] === this.#family && this.#open.length >= MESSAGE_DEPTH;
  }

  #flush(): void {
    if (this.#outLength > 0) this.#found.document(this.#out.subarray(0, this.#outLength));
    this.#outLength = 0;
  }
}

/** A string as JSON writes it; undefined when it is too long to be one of ours, or cannot be kept. */
function textOf(bytes: readonly number[]): string | undefined {
  if (bytes.length > ID_BYTES_MAX) return undefined;
  const text = parsedJson(Uint8Array.from(bytes));
  return typeof text === 'string' ? text : undefined;
}
