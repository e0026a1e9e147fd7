// The one reader of untrusted XML: incremental, strict, bounded. No DOCTYPE, no processing instructions in values, nothing guessed.
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { AppError } from '#domain/error.ts';
import { unreadable } from '#domain/unreadable.ts';
import { createDecoder } from './decode.ts';
import { entities, REFERENCE_END } from './entities.ts';
import { createInstructions } from './instructions.ts';
import { createRunCheck, READ_LIMITS, type ReadLimits, refuseFloods, tooMany } from './read-limits.ts';
import { createTreeBuilder, interned, type ReadHandlers, type XmlElement } from './tree.ts';

export interface Reader {
  /** Reads on; chunks may end anywhere. Throws `unreadable`; after that the reader is of no more use. */
  write(bytes: Uint8Array): void;
  /** There is no more. Throws `unreadable`, with the fact `truncated` when the document merely ends early. */
  end(): void;
}

/** What is decoded and parsed at a time: one character beyond Latin-1 doubles the memory of its piece only. */
const PIECE_BYTES = 65_536;
/** Documents have a handful of namespaces; of whoever has more the others are told as they are. */
const INTERNED_MAX = 8;
const XMLNS = 'http://www.w3.org/2000/xmlns/';
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();
/** Elements of this type hold files, which may be as long as a document. */
const ATTACHMENT = /BinaryObject$/;

class StrictParser extends SaxesParser<{ xmlns: true }> {
  /**
   * V8 drops the hidden class of parsers when the garbage collector has taken the last of them, and with it what it had compiled for
   * them; reading would be slow from then on. So a few are never collected.
   */
  static kept: readonly Reader[] = [];
}
// What is refused wherever it stands is registered here once, for all parsers.
StrictParser.prototype.on('doctype', function (this: StrictParser) {
  throw refusal(this, 'it has a DOCTYPE, which is not allowed; remove it');
});

export function createReader(handlers: ReadHandlers, limits: ReadLimits = READ_LIMITS): Reader {
  const parser = new StrictParser({ xmlns: true });
  parser.ENTITIES = entities(() => parser.line);
  const decoder = createDecoder(() => parser.line);
  parser.on('xmldecl', ({ version, encoding }) => {
    if (version !== '1.0') throw refusal(parser, `it declares XML version ${version}; write version 1.0`);
    decoder.declared(encoding);
  });
  const checkRun = listen(parser, handlers, limits);
  let empty = true;
  let carried = '';

  function parse(decoded: string): void {
    // XML §2.11: line ends are one line feed. A carriage return at the end of a piece waits for what follows it.
    const text = carried + decoded;
    carried = text.endsWith('\r') ? '\r' : '';
    const whole = carried === '' ? text : text.slice(0, -1);
    if (whole === '') return;
    parsing(parser, false, () => parser.write(whole.includes('\r') ? whole.replaceAll(/\r\n?/g, '\n') : whole));
    checkRun(whole);
  }

  return {
    write(bytes) {
      empty &&= bytes.length === 0;
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) parse(decoder.write(bytes.subarray(at, at + PIECE_BYTES)));
    },
    end() {
      if (empty) throw unreadable('truncated', 'The file is empty. Write the document again.');
      parse(decoder.end());
      parse(carried === '' ? '' : '\n');
      parsing(parser, true, () => parser.close());
    },
  };
}
StrictParser.kept = ['<a b="c">d</a>', '<a><!-- b --></a>', '<a><![CDATA[b]]></a>'].map((text) => {
  const reader = createReader({ open: () => {}, text: () => {}, close: () => {} });
  reader.write(new TextEncoder().encode(text));
  return reader;
});

/** Hands on what the parser finds, and keeps it within the limits. Returns the check of each piece that was parsed. */
function listen(parser: StrictParser, handlers: ReadHandlers, limits: ReadLimits): (piece: string) => void {
  let depth = 0;
  let elements = 0;
  let sections = 0;
  let attributes = 0;
  let attributesOfAll = 0;
  const namespaceOf = createInterning();
  let plain: Map<string, string> | null = null;
  let qualified = false;
  let line = 1;
  let column = 1;
  let attachment = false;

  const refuseMany = (what: string, max: number): never => {
    throw tooMany(what, max, parser.line);
  };
  const checkRun = createRunCheck(limits, refuseMany);
  const instructions = createInstructions(
    limits.instructionsMax,
    (target) => {
      throw refusal(parser, `it has a processing instruction (<?${target.slice(0, 40)} …?>) inside a value; remove it`);
    },
    () => refuseMany('processing instructions', limits.instructionsMax),
  );

  parser.on('opentagstart', ({ name }) => {
    line = parser.line;
    column = Math.max(parser.column - name.length - 1, 1);
    attributes = 0;
    plain = null;
    qualified = false;
    instructions.tag(true);
    if (++depth > limits.depthMax) refuseMany('elements inside each other', limits.depthMax);
    if (++elements > limits.elementsMax) refuseMany('elements', limits.elementsMax);
    if (name.length > limits.nameCharactersMax) refuseMany('characters in a name', limits.nameCharactersMax);
    attachment = ATTACHMENT.test(name);
  });
  parser.on('attribute', ({ name, prefix, value }) => {
    if (++attributes > limits.attributesPerElementMax) refuseMany('attributes on one element', limits.attributesPerElementMax);
    if (++attributesOfAll > limits.attributesMax) refuseMany('attributes', limits.attributesMax);
    if (name.length > limits.nameCharactersMax) refuseMany('characters in a name', limits.nameCharactersMax);
    if (prefix === 'xmlns' || name === 'xmlns') {
      if (value.length > limits.namespaceCharactersMax) refuseMany('characters in a namespace', limits.namespaceCharactersMax);
    } else if (prefix !== '') qualified = true;
    else {
      plain ??= new Map();
      plain.set(name, value);
    }
  });
  parser.on('opentag', (tag) => {
    const found = qualified ? attributesOf(tag) : (plain ?? NO_ATTRIBUTES);
    handlers.open({ name: tag.local, namespace: namespaceOf(tag.uri), attributes: found, line, column });
  });
  const countSection = (): void => {
    if (++sections > limits.sectionsMax) refuseMany('comments and CDATA sections', limits.sectionsMax);
  };
  const tell = (text: string): void => {
    if (depth === 0) return;
    instructions.text(text);
    handlers.text(text, parser.line);
  };
  parser.on('text', tell);
  parser.on('processinginstruction', ({ target }) => instructions.instruction(target));
  parser.on('comment', () => {
    countSection();
    handlers.comment?.();
  });
  parser.on('cdata', (text) => {
    countSection();
    tell(text);
  });
  parser.on('closetag', () => {
    depth--;
    instructions.tag(false);
    attachment = false;
    handlers.close();
  });
  return (piece) => checkRun(piece, { attachment, beforeRoot: elements === 0 });
}

/** The whole document as a tree. Throws `unreadable`. */
export function readTree(bytes: Uint8Array, limits: ReadLimits = READ_LIMITS): XmlElement {
  refuseFloods(bytes, limits);
  const builder = createTreeBuilder();
  const reader = createReader(builder, limits);
  reader.write(bytes);
  reader.end();
  const root = builder.root();
  if (!root) throw unreadable('truncated', 'The file has no root element. Write the document again.');
  return root;
}

function refusal(parser: StrictParser, what: string): AppError {
  return unreadable('markup', `The file is refused at line ${parser.line}: ${what}.`);
}

/** Runs a step of the parser; its errors get a sentence, ours pass. All that `close` finds is that something is still missing. */
function parsing(parser: StrictParser, atEnd: boolean, step: () => unknown): void {
  try {
    step();
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error)) throw error;
    const cause = error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
    const where = `line ${parser.line}, column ${parser.column}`;
    if (atEnd) refuseOpenReference(parser);
    const sentence = atEnd
      ? `The file ends too early: ${where}, ${cause}. Write it again, whole.`
      : `The file is no well-formed XML: ${where}, ${cause}. Repair it and send it again.`;
    throw unreadable(atEnd ? 'truncated' : 'not-well-formed', sentence, { cause: error });
  }
}

/** An `&` that stands for itself swallows the rest of a document, which then does not end early. Throws if that is so. */
function refuseOpenReference(parser: StrictParser): void {
  try {
    parser.write(REFERENCE_END);
  } catch (error) {
    if (error instanceof AppError && error.facts.truncated !== true) throw error;
  }
}

/** Each element has the very string that its namespace was declared with; that is looked for, which is one comparison of addresses. */
function createInterning(): (text: string) => string {
  const declared: string[] = [];
  const same: string[] = [];
  return (text) => {
    const known = same[declared.indexOf(text)];
    if (known !== undefined) return known;
    const name = interned(text);
    if (declared.length < INTERNED_MAX) {
      declared.push(text);
      same.push(name);
    }
    return name;
  };
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
