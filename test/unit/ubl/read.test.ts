import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { createReader, readTree } from '#ubl/read.ts';
import { READ_LIMITS, type ReadLimits } from '#ubl/read-limits.ts';
import { createTreeBuilder } from '#ubl/tree.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const utf16 = (text: string, bigEndian: boolean): Uint8Array => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return bigEndian ? bytes.swap16() : bytes;
};

function refusal(bytes: Uint8Array): AppError {
  try {
    readTree(bytes);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe('reading XML', () => {
  it('gives names, namespaces, attributes, text and positions', () => {
    const tree = readTree(utf8('<a xmlns="one" xmlns:p="two">\n  <p:b c="1" p:d="2">x&amp;<![CDATA[<y>]]><!-- z --></p:b>\n</a>'));
    expect(tree).toMatchObject({ name: 'a', namespace: 'one', line: 1, column: 1 });
    expect(tree.children).toHaveLength(1);
    expect(tree.children[0]).toMatchObject({ name: 'b', namespace: 'two', text: 'x&<y>', line: 2, column: 3 });
    expect([...(tree.children[0]?.attributes ?? [])]).toEqual([
      ['c', '1'],
      ['{two}d', '2'],
    ]);
  });

  it.each([
    ['UTF-8', utf8('<a>é</a>')],
    ['UTF-8 with a byte order mark', utf8('\ufeff<?xml version="1.0" encoding="utf-8"?><a>é</a>')],
    ['UTF-16, little end first', utf16('<?xml version="1.0" encoding="UTF-16"?><a>é</a>', false)],
    ['UTF-16, big end first', utf16('<a>é</a>', true)],
    ['ISO-8859-1', latin('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>')],
    ['windows-1252', latin("<?xml version='1.0' encoding='Windows-1252'?><a>é</a>")],
  ])('reads %s', (_, bytes) => {
    expect(readTree(bytes).text).toBe('é');
  });

  it.each([
    ['in a text', '<a>\n<b>x & y</b>\n</a>'],
    ['in a text before a reference', '<a>\n<b>x & y</b>\n<c>p &amp; q</c></a>'],
    ['without spaces', '<a>\n<b>R&D</b></a>'],
    ['in an attribute', '<a>\n<b c="x & y"/></a>'],
  ])('tells where an ampersand stands for itself %s, and does not take the document for one that ends early', (_, text) => {
    const { message, facts } = refusal(utf8(text));
    expect(message).toBe("The file is no well-formed XML: line 2, an '&' stands for itself: write it as &amp;.");
    expect(facts.truncated).toBeUndefined();
  });

  it.each(['<a>x &amp; y', '<a>x &am', '<a>x &', '<a>x &#2', '<a><![CDATA[x & y'])('knows that %s merely ends early', (text) => {
    const { message, facts } = refusal(utf8(text));
    expect(message).toContain('ends too early');
    expect(facts.truncated).toBe(true);
  });

  it('reads the same whatever the chunks', () => {
    const bytes = utf8('<?xml version="1.0" encoding="UTF-8"?>\r\n<a x="é">ö<b>\u{1f600} &#233;</b>\r\n</a>');
    const whole = readTree(bytes);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
        const builder = createTreeBuilder();
        const reader = createReader(builder);
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          reader.write(bytes.subarray(at, at + size));
          at += size;
        }
        reader.end();
        expect(builder.root()).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['an unexpected close tag', '<a>\n<b></a>', /line 2, column \d+, unexpected close tag/],
    ['two roots', '<a/><b/>', /one root/],
    ['a duplicate attribute', '<a x="1" x="2"/>', /duplicate attribute/],
    ['an unbound prefix', '<p:a/>', /unbound namespace prefix/],
    ['an unknown entity', '<a>&nbsp;</a>', /line 1, XML has no &nbsp; as HTML has: write the character itself/],
    ['a control character', '<a>\u0001</a>', /disallowed character/],
    ['a DOCTYPE', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a/>', /DOCTYPE/],
    [
      'a processing instruction before a text',
      '<a><b><?p q?>x</b></a>',
      /line 1: it has a processing instruction \(<\?p …\?>\) inside a value/,
    ],
    ['a processing instruction behind a text', '<a><b>x<?p q?></b></a>', /inside a value/],
    ['a processing instruction in a text', '<a><b>x<!-- c --> <?p q?> <![CDATA[y]]></b></a>', /inside a value/],
    ['a processing instruction for a text', '<a><b> <?p q?> </b></a>', /inside a value/],
    ['a processing instruction in a file', '<a><b:BinaryObject xmlns:b="c">QUJD<?p q?></b:BinaryObject></a>', /inside a value/],
    ['a processing instruction between texts and elements', '<a>x<b/>y<?p q?><b/></a>', /inside a value/],
    ['many processing instructions', `<?p?><a>${'<?p?>'.repeat(31)}<b/>\n<?p?></a>`, /line 2: it has more than 32 processing instructions/],
    ['a processing instruction that is none', '<a/><?xml version="1.0"?>', /XML declaration/],
    ['XML 1.1', '<?xml version="1.1"?><a/>', /write version 1.0/],
    ['an encoding that is not read', '<?xml version="1.0" encoding="KOI8-R"?><a/>', /koi8-r.*UTF-8/i],
    ['UTF-16 that is none', '<?xml version="1.0" encoding="UTF-16"?><a/>', /byte order mark/],
    ['a mark against the declaration', '\ufeff<?xml version="1.0" encoding="ISO-8859-1"?><a/>', /byte order mark shows UTF-8/],
    ['depth', '<a>'.repeat(65), /more than 64 elements inside each other/],
    [
      'attributes in all',
      `<a>${`<b ${Array.from({ length: 200 }, (_, at) => `a${at}=""`).join(' ')}/>`.repeat(1_251)}</a>`,
      /line 1: it has more than 250000 attributes/,
    ],
    ['attributes', `<a ${Array.from({ length: 201 }, (_, at) => `a${at}="1"`).join(' ')}/>`, /more than 200 attributes/],
    ['a long name', `<${'a'.repeat(257)}/>`, /more than 256 characters in a name/],
    ['too many elements', `<a>\n${'<b/>'.repeat(250_000)}</a>`, /line 2: it has more than 250000 elements/],
    ['a long text', `<a>${'x'.repeat(2_100_000)}</a>`, /more than 2000000 characters in one text that is no attachment/],
    ['much before the root', `${' '.repeat(140_000)}<a/>`, /more than 65536 characters before its root/],
    ['comments', `<a>${'<!---->'.repeat(50_001)}</a>`, /more than 50000 comments and CDATA sections/],
    ['an entity bomb', `<!DOCTYPE a [<!ENTITY b "${'b'.repeat(99)}"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>`, /DOCTYPE/],
    ['NUL', '<a>\n\0</a>', /line 2, column \d+, disallowed character/],
  ])('refuses %s with a sentence', (_, text, sentence) => {
    const error = refusal(utf8(text));
    expect(error.code).toBe('unreadable');
    expect(error.message).toMatch(sentence);
    expect(error.facts).not.toHaveProperty('truncated');
  });

  const several = (count: number, piece: string): string => piece.repeat(count);
  it.each<[limit: keyof ReadLimits, what: string, write: (count: number) => string]>([
    ['depthMax', 'elements', (count) => several(count, '<a>') + several(count, '</a>')],
    ['elementsMax', 'elements', (count) => `<a>${several(count - 1, '<b/>')}</a>`],
    ['attributesPerElementMax', 'attributes', (count) => `<a${Array.from({ length: count }, (_, at) => ` a${at}=""`).join('')}/>`],
    ['attributesMax', 'attributes', (count) => `<a>${several(count, '<b c=""/>')}</a>`],
    ['attributesMax', 'attributes, apart from their values', (count) => `<a>${several(count, '<b c = ""/>')}</a>`],
    ['sectionsMax', 'comments', (count) => `<a>${several(count, '<!---->')}</a>`],
    ['sectionsMax', 'CDATA sections', (count) => `<a>${several(count, '<![CDATA[]]>')}</a>`],
    ['sectionsMax', 'both', (count) => `<a>${several(count - 3, '<!---->')}${several(3, '<![CDATA[]]>')}</a>`],
    ['instructionsMax', 'processing instructions', (count) => `${several(count - 1, '<?p?>')}<a/><?p?>`],
    ['nameCharactersMax', 'characters of an element', (count) => `<${several(count, 'a')}/>`],
    ['nameCharactersMax', 'characters of an attribute', (count) => `<a ${several(count, 'a')}=""/>`],
    ['namespaceCharactersMax', 'characters of a namespace', (count) => `<a xmlns="${several(count, 'u')}"/>`],
    ['namespaceCharactersMax', 'characters of a prefixed one', (count) => `<p:a xmlns:p="${several(count, 'u')}"/>`],
    ['referencesMax', 'entities', (count) => `<a>${several(count, '&lt;')}</a>`],
    ['referencesMax', 'references', (count) => `<a>${several(count, '&#65;')}</a>`],
  ])('reads as many as %s says, and not one more: %s', (limit, _, write) => {
    const limits = { ...READ_LIMITS, [limit]: 20 };
    expect(readTree(utf8(write(20)), limits).children).toBeDefined();
    expect(() => readTree(utf8(write(21)), limits)).toThrow('more than 20');
  });

  it('passes over processing instructions between elements', () => {
    const bare = readTree(utf8('<?xml version="1.0"?>\n<a>\n<b>x</b>\n<c>\n<d>y</d>\n</c></a>\n'));
    const told =
      '<?xml version="1.0"?><?xml-stylesheet href="x"?>\n<a><?p?>\n<b>x</b><?p <z>?>\n<c><?p ??>\n<d>y</d>\n<?p?></c></a><?p?>\n';
    expect(readTree(utf8(told))).toEqual(bare);
    expect(readTree(utf8(`${'<?p?>'.repeat(16)}<a><b/>${'<?p?>'.repeat(16)}</a>`)).children).toHaveLength(1);
  });

  it('names the line of bytes that the encoding does not have', () => {
    expect(refusal(Buffer.concat([utf8('<a>\n\n'), latin('é'), utf8('</a>')])).message).toMatch(/line 3 holds bytes that are not UTF-8/);
    expect(refusal(latin('<?xml version="1.0" encoding="US-ASCII"?>\n<a>é</a>')).message).toMatch(/line 2 .* not US-ASCII/);
    expect(refusal(latin('<?xml version="1.0" encoding="ISO-8859-1"?><a>\x80</a>')).message).toMatch(/not ISO-8859-1/);
    expect(refusal(latin('<?xml version="1.0" encoding="windows-1252"?><a>\x81</a>')).message).toMatch(/not windows-1252/);
  });

  it('tells what merely ends early from what is wrong', () => {
    const bytes = utf8('<?xml version="1.0"?><?p q?><a x="1">é<b>t</b><!-- c --><b/><?p q?><b/><![CDATA[d]]></a>');
    for (let end = 0; end < bytes.length; end++) {
      const error = refusal(bytes.subarray(0, end));
      expect(error.facts, `${end}: ${error.message}`).toHaveProperty('truncated', true);
    }
    expect(refusal(new Uint8Array()).message).toBe('The file is empty. Write the document again.');
  });
});
