import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTree } from '#ubl/read.ts';
import { CAC, CBC, createTreeBuilder, type ReadHandlers, replay, type XmlElement } from '#ubl/tree.ts';
import { writeXml } from '#ubl/write.ts';

interface Sketch {
  readonly name: string;
  readonly namespace: string;
  readonly attributes: readonly (readonly [string, string])[];
  readonly content: readonly (string | Sketch)[];
}

const XML = 'http://www.w3.org/XML/1998/namespace';
const names = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9._-]{0,8}$/).filter((name) => !/^xml/i.test(name));
const namespaces = fc.constantFrom(CBC, CAC, '', 'urn:x', 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2', 'urn:a&"<b>', XML);
const awkward = fc.constantFrom('<', '&', ']]>', '"', "'", '\t', '\n', '\r', '\r\n', ' ', '\u0085', '\u2028', 'é', '\u{1f600}');
const texts = fc.array(fc.oneof(awkward, fc.string({ unit: 'grapheme', maxLength: 3 })), { maxLength: 4 }).map((parts) => parts.join(''));
const attributes = fc.uniqueArray(
  fc.tuple(fc.oneof(names, fc.constantFrom('{urn:y}a', '{urn:z}a', '{urn:\u2028\n{}}a', `{${XML}}lang`)), texts),
  { maxLength: 3, selector: ([key]) => key },
);
const { sketch } = fc.letrec<{ sketch: Sketch }>((tie) => ({
  sketch: fc.record({
    name: names,
    namespace: namespaces,
    attributes,
    content: fc.oneof(
      { depthSize: 'small' },
      fc.array(texts, { maxLength: 1 }),
      fc.array(fc.oneof(texts, tie('sketch')), { maxLength: 4 }),
    ),
  }),
}));

function tell({ name, namespace, attributes: pairs, content }: Sketch, handlers: ReadHandlers): void {
  handlers.open({ name, namespace, attributes: new Map(pairs), line: 0, column: 0 });
  for (const piece of content) {
    if (typeof piece === 'string') handlers.text(piece);
    else tell(piece, handlers);
  }
  handlers.close();
}

function treeOf(one: Sketch): XmlElement {
  const builder = createTreeBuilder();
  tell(one, builder);
  const root = builder.root();
  if (!root) throw new Error('no root');
  return root;
}

/** All that is said about a tree; pieces of text that follow each other are one. */
function told(root: XmlElement): unknown[] {
  const events: unknown[] = [];
  let text = '';
  const flush = (): void => {
    if (text !== '') events.push(text);
    text = '';
  };
  replay(root, {
    open({ name, namespace, attributes: pairs }) {
      flush();
      events.push({ name, namespace, attributes: [...pairs].sort(([a], [b]) => (a < b ? -1 : 1)) });
    },
    text(piece) {
      text += piece;
    },
    close() {
      flush();
      events.push(null);
    },
  });
  return events;
}

describe('writing XML', () => {
  it('is undone by reading, whatever the names, namespaces, attributes and texts', () => {
    fc.assert(
      fc.property(
        sketch.filter(({ namespace }) => namespace !== XML),
        (one) => {
          const root = treeOf(one);
          expect(told(readTree(writeXml(root)))).toEqual(told(root));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('writes UBL with its own prefixes', () => {
    const root = treeOf({
      name: 'Invoice',
      namespace: 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2',
      attributes: [],
      content: [{ name: 'ID', namespace: CBC, attributes: [['schemeID', '"']], content: ['a<b'] }],
    });
    expect(new TextDecoder().decode(writeXml(root))).toContain('<cbc:ID schemeID="&quot;">a&lt;b</cbc:ID></Invoice>');
  });
});
