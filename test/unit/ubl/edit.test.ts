import { describe, expect, it } from 'vitest';
import { edited } from '#ubl/edit.ts';

const text = (bytes: Uint8Array | null): string | null => bytes && new TextDecoder().decode(bytes);
const edit = (document: string, ...edits: Parameters<typeof edited>[1]): string | null => text(edited(Buffer.from(document), edits));

describe('the edit of single values', () => {
  it('leaves all else as it is: line ends, comments, quotes, empty tags', () => {
    const document =
      "<?xml version='1.0'?>\r\n<!-- <a> --><a x = 'é>'\r\n b='1'>\r\n<b/><![CDATA[<c>]]><?p <d>?><c k=\"2\"> old </c>\r\n</a>\r\n";
    const wanted = document.replace(' old ', 'new').replace("b='1'", "b='one'").replace('k="2"', 'k="two"');
    const edits = [
      { element: 2, value: 'new' },
      { element: 2, attribute: 'k', value: 'two' },
      { element: 0, attribute: 'b', value: 'one' },
    ];
    expect(edit(document, ...edits)).toBe(wanted);
  });

  it('adds an attribute that is missing', () => {
    expect(edit('<a><b\nc="1">2</b></a>', { element: 1, attribute: 'd', value: '3' })).toBe('<a><b d="3"\nc="1">2</b></a>');
    expect(edit('<a><b/></a>', { element: 1, attribute: 'd', value: '3' })).toBe('<a><b d="3"/></a>');
  });

  it.each([
    ['windows-1252', Buffer.from('<?xml version="1.0" encoding="windows-1252"?><a><b>\xe4\xf6</b><c>x</c>\xfc</a>', 'latin1')],
    ['UTF-8 with a mark', Buffer.from('\ufeff<a><b>ä€𝄞</b><c>x</c>€</a>')],
    ['UTF-16', Buffer.from('\ufeff<a><b>ä€𝄞</b><c>x</c>€</a>', 'utf16le')],
    ['UTF-16, the other way round', Buffer.from('\ufeff<a><b>ä€𝄞</b><c>x</c>€</a>', 'utf16le').swap16()],
  ])('keeps the encoding: %s', (_, bytes) => {
    const once = edited(bytes, [{ element: 2, value: 'longer' }]);
    expect(once).not.toEqual(bytes);
    expect(edited(once ?? bytes, [{ element: 2, value: 'x' }])).toEqual(bytes);
  });

  it.each([
    ['a reference', '<a>1&amp;2</a>', undefined],
    ['a comment', '<a>1<!-- -->2</a>', undefined],
    ['a section', '<a><![CDATA[12]]></a>', undefined],
    ['a child', '<a>1<b/></a>', undefined],
    ['no text', '<a/>', undefined],
    ['a reference in an attribute', '<a b="&#49;"/>', 'b'],
  ])('is none of a value with %s', (_, document, attribute) => {
    expect(edit(document, { element: 0, attribute, value: '3' })).toBeNull();
  });

  it('is none of an element that is not there', () => expect(edit('<a/>', { element: 1, attribute: 'b', value: '3' })).toBeNull());
});
