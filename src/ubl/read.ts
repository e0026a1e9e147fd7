// The one reader of untrusted XML: incremental, strict, bounded. No DOCTYPE, no processing instructions, nothing guessed.
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { AppError } from '#domain/error.ts';
import { createDecoder } from './decode.ts';
import { createTreeBuilder, type ReadHandlers, type XmlElement } from './tree.ts';

export interface ReadLimits {
  /** Elements inside each other; namespace lookups cost the square of it. */
  readonly depthMax: number;
  readonly elementsMax: number;
  readonly attributesPerElementMax: number;
  /** In the whole document. */
  readonly attributesMax: number;
  readonly nameCharactersMax: number;
}

export const READ_LIMITS: ReadLimits = {
  depthMax: 64,
  elementsMax: 250_000,
  attributesPerElementMax: 200,
  attributesMax: 500_000,
  nameCharactersMax: 256,
};

export interface Reader {
  /** Reads on; chunks may end anywhere. Throws `unreadable`; after that the reader is of no more use. */
  write(bytes: Uint8Array): void;
  /** There is no more. Throws `unreadable`, with the fact `truncated` when the document merely ends early. */
  end(): void;
}

const XMLNS = 'http://www.w3.org/2000/xmlns/';
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/**
 * What is refused wherever it stands is registered here once: every handler that `on` gives to a parser is a property, and from the
 * seventh on V8 keeps the parser as a hash table, which makes it five times slower.
 */
class StrictParser extends SaxesParser<{ xmlns: true }> {}
StrictParser.prototype.on('doctype', function (this: StrictParser) {
  throw refusal(this, 'it has a DOCTYPE, which is not allowed; remove it');
});
StrictParser.prototype.on('processinginstruction', function (this: StrictParser, { target }) {
  throw refusal(this, `it has a processing instruction (<?${target.slice(0, 40)} …?>); remove it`);
});

export function createReader(handlers: ReadHandlers, limits: ReadLimits = READ_LIMITS): Reader {
  const parser = new StrictParser({ xmlns: true });
  const decoder = createDecoder(() => parser.line);
  let empty = true;
  let depth = 0;
  let elements = 0;
  let attributes = 0;
  let attributesOfAll = 0;
  let start = { line: 1, column: 1 };

  const tooMany = (what: string, max: number): never => {
    throw refusal(parser, `it has more than ${max} ${what}, which no business document needs`);
  };

  parser.on('xmldecl', ({ version, encoding }) => {
    if (version !== '1.0') throw refusal(parser, `it declares XML version ${version}; write version 1.0`);
    decoder.declared(encoding);
  });
  parser.on('opentagstart', ({ name }) => {
    start = { line: parser.line, column: Math.max(parser.column - name.length - 1, 1) };
    attributes = 0;
    if (++depth > limits.depthMax) tooMany('elements inside each other', limits.depthMax);
    if (++elements > limits.elementsMax) tooMany('elements', limits.elementsMax);
    if (name.length > limits.nameCharactersMax) tooMany('characters in a name', limits.nameCharactersMax);
  });
  parser.on('attribute', ({ name }) => {
    if (++attributes > limits.attributesPerElementMax) tooMany('attributes on one element', limits.attributesPerElementMax);
    if (++attributesOfAll > limits.attributesMax) tooMany('attributes', limits.attributesMax);
    if (name.length > limits.nameCharactersMax) tooMany('characters in a name', limits.nameCharactersMax);
  });
  parser.on('opentag', (tag) => handlers.open({ name: tag.local, namespace: tag.uri, attributes: attributesOf(tag), ...start }));
  parser.on('text', (text) => depth > 0 && handlers.text(text));
  parser.on('cdata', (text) => handlers.text(text));
  parser.on('closetag', () => {
    depth--;
    handlers.close();
  });

  return {
    write(bytes) {
      empty &&= bytes.length === 0;
      const text = decoder.write(bytes);
      if (text !== '') parsing(parser, false, () => parser.write(text));
    },
    end() {
      if (empty) throw new AppError('unreadable', 'The file is empty. Write the document again.', { facts: { truncated: true } });
      const text = decoder.end();
      if (text !== '') parsing(parser, false, () => parser.write(text));
      parsing(parser, true, () => parser.close());
    },
  };
}

/** The whole document as a tree. Throws `unreadable`. */
export function readTree(bytes: Uint8Array, limits: ReadLimits = READ_LIMITS): XmlElement {
  const builder = createTreeBuilder();
  const reader = createReader(builder, limits);
  reader.write(bytes);
  reader.end();
  const root = builder.root();
  if (!root) throw new AppError('unreadable', 'The file has no root element. Write the document again.', { facts: { truncated: true } });
  return root;
}

function refusal(parser: StrictParser, what: string): AppError {
  return new AppError('unreadable', `The file is refused at line ${parser.line}: ${what}.`);
}

/** Runs a step of the parser; its errors get a sentence, ours pass. All that `close` finds is that something is still missing. */
function parsing(parser: StrictParser, atEnd: boolean, step: () => unknown): void {
  try {
    step();
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error)) throw error;
    const cause = error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
    const where = `line ${parser.line}, column ${parser.column}`;
    const sentence = atEnd
      ? `The file ends too early: ${where}, ${cause}. Write it again, whole.`
      : `The file is no well-formed XML: ${where}, ${cause}. Repair it and send it again.`;
    throw new AppError('unreadable', sentence, { cause: error, facts: atEnd ? { truncated: true } : {} });
  }
}

function attributesOf(tag: SaxesTagNS): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name in tag.attributes) {
    const attribute: SaxesAttributeNS | undefined = tag.attributes[name];
    if (!attribute || attribute.uri === XMLNS) continue;
    found.set(attribute.uri === '' ? attribute.local : `{${attribute.uri}}${attribute.local}`, attribute.value);
  }
  return found.size > 0 ? found : NO_ATTRIBUTES;
}
