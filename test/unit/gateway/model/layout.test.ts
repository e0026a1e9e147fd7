import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAMILY_NAMES } from '#domain/family.ts';
import { droppedName, duplicateName, nameOfReceipt, originalName, outboxName } from '#gateway/model/file-names.ts';
import { INBOX_FOLDERS, isTemporaryName, toByteName } from '#gateway/model/intake.ts';
import { checkLayout, type Layout, namesOf, namingOf, overwriteAdvice, receivedNaming } from '#gateway/model/layout.ts';
import { sightOf } from '#gateway/model/provider-names.ts';
import { HOME_FOLDERS, LAYOUT_NAMES } from '#gateway/model/rule-words.ts';
import { findNode } from '#gateway/sftp/session/tree.ts';
import { uuidOf } from '#runtime/uuid.ts';

const name = fc.stringMatching(/^[A-Ba-b0-9]{1,2}(?:\/[A-Ba-b0-9]{1,2}){0,2}$/);
const names = fc.record({ inbox: name, outbox: fc.oneof(name, fc.constant('')), receipts: name, accepted: name, refused: name });

const isFine = (layout: Layout): boolean => {
  try {
    checkLayout(layout, []);
    return true;
  } catch {
    return false;
  }
};

describe('layouts', () => {
  it.each([...LAYOUT_NAMES])('%s is one that may be set', (layout) => expect(isFine(layout)).toBe(true));

  it('without one, folders have their usual names', () => {
    expect(namesOf(undefined)).toEqual({ ...Object.fromEntries(HOME_FOLDERS.map((folder) => [folder, folder])), duplicates: 'accepted' });
  });

  it('one that is like another has its names for the others, and names files as it does', () => {
    expect(namesOf({ like: 'to-from-peppol-rcpt', inbox: 'UT' })).toMatchObject({
      inbox: 'UT',
      outbox: 'from-peppol',
      receipts: 'receipts',
    });
    expect(namingOf({ like: 'to-from-peppol-rcpt', inbox: 'UT' })).toBe(namingOf('to-from-peppol-rcpt'));
  });

  it('received documents are named as the layout of all says that see them, and as usual where they differ', () => {
    const viewer = (layout?: Layout) => ({ homes: [], rules: layout === undefined ? {} : { layout } });
    const [rcpt, like] = [viewer('to-from-peppol-rcpt'), viewer({ like: 'to-from-peppol-rcpt', inbox: 'UT' })];
    const document = {
      account: null,
      accountRegNo: 'A/B',
      date: '',
      family: '',
      documentId: '',
      sender: '',
      integrationId: 'x/1',
      version: 1,
    };
    expect(receivedNaming([rcpt, like])?.(document, uuidOf)).toMatch(
      /^DLVY-A-B-[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\.xml$/,
    );
    expect(receivedNaming([rcpt])?.(document, uuidOf)).not.toBe(receivedNaming([rcpt])?.({ ...document, version: 2 }, uuidOf));
    for (const readers of [[], [rcpt, viewer()], [viewer('flat')]]) expect(receivedNaming(readers)).toBeUndefined();
  });

  it('names that may be set lead to five places, each to its own', () => {
    fc.assert(
      fc.property(names, (layout) => {
        fc.pre(isFine(layout));
        const viewer = { homes: [{ home: 'A', folder: '' }], rules: { layout } };
        const places = HOME_FOLDERS.map((folder) =>
          JSON.stringify(findNode(viewer, layout[folder] === '' ? [] : layout[folder].split('/'))),
        );
        expect(new Set(places).size).toBe(HOME_FOLDERS.length);
        expect(places.some((place) => place.includes('nowhere') || place.includes('kept'))).toBe(false);
      }),
    );
  });

  it('a document that replaces another goes to the folder of that name, as the dropper sees it', () => {
    const homes = [{ home: 'A', folder: '' }];
    expect(overwriteAdvice(undefined, 'A', [])).toBe('inbox/overwrite');
    expect(overwriteAdvice({ homes, rules: { layout: 'flat' } }, 'A', [])).toBe('send/overwrite');
    expect(overwriteAdvice({ homes: [{ home: 'A', folder: 'a-ab' }], rules: {} }, 'A', [])).toBe('a-ab/inbox/overwrite');
  });

  it('names may be paths: of three folders at the most, none in another, each spelled in one way', () => {
    expect(isFine({ accepted: 'Archive/Incoming', refused: 'Archive/Failed' })).toBe(true);
    expect(isFine({ outbox: '', inbox: 'a/b/c' })).toBe(true);
    for (const inbox of ['a/b/c/d', 'a/', '/a', 'a//b', 'a/..', 'a/con', 'outbox/in', 'Outbox/in']) expect(isFine({ inbox })).toBe(false);
    expect(isFine({ inbox: 'a', refused: 'a/b' })).toBe(false);
    expect(isFine({ accepted: 'A/b', refused: 'a/c' })).toBe(false);
    expect(() => checkLayout({ inbox: 'Status/in' }, ['status'])).toThrow('so is the folder that answers called');
    expect(overwriteAdvice({ homes: [{ home: 'A', folder: '' }], rules: { layout: { inbox: 'a/b' } } }, 'A', [])).toBe('a/b/overwrite');
  });

  it('originals of duplicates have a folder of their own where it is named, which is none of the others', () => {
    expect(isFine({ duplicates: 'twice' })).toBe(true);
    expect(isFine({ accepted: 'sent', duplicates: 'sent' })).toBe(true);
    for (const duplicates of ['', 'refused', 'Accepted', 'inbox/twice']) expect(isFine({ duplicates })).toBe(false);
  });

  it('names that differ by case alone are refused', () => {
    expect(isFine({ inbox: 'in', receipts: 'IN' })).toBe(false);
    expect(isFine({ accepted: 'OUTBOX' })).toBe(false);
    expect(isFine({ accepted: 'OUTBOX', outbox: '' })).toBe(true);
  });
});

const ITEM = '01JZ0000000000ABCDEFGH1234';
const STAGES = ['accepted', 'refused', 'duplicate', 'delayed', 'held', 'waiting', 'cancelled', 'tested', 'sent', 'failed'] as const;
const dropped = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc
    .tuple(
      fc.constantFrom('a', 'a.abcdefgh', 'a.xml', 'RCPT', 'duplicate', 'a.duplicate', 'a.abcdefgh.duplicate'),
      fc.constantFrom('', '.xml', '.json', '.duplicate', '.xml.accepted.json', '.refused.json', '.XML'),
    )
    .map((parts) => parts.join('')),
);

const LAYOUTS: readonly Layout[] = [
  ...LAYOUT_NAMES,
  { like: 'success-error-json', duplicates: 'twice' },
  { like: 'flat', duplicates: 'twice' },
];

describe.each(LAYOUTS)('files in layout %j', (layout) => {
  const naming = namingOf(layout);

  it('of a folder are seen in one place, each by a name of its own, which leads back to it', () => {
    fc.assert(
      fc.property(dropped, fc.constantFrom(...STAGES), (text, stage) => {
        const file = toByteName(text);
        const plain = originalName(file, ITEM);
        const original = (stage === 'duplicate' && naming.marksDuplicates && duplicateName(plain)) || plain;
        const facts = { accountRegNo: 'A', item: ITEM, stage, dropped: droppedName(file), original };
        const result = naming.receipts[stage]?.name(facts, uuidOf);
        const files = [
          ...HOME_FOLDERS.filter((folder) => folder !== 'inbox').map(
            (folder) => [folder, folder === 'accepted' ? original : plain] as const,
          ),
          ['receipts', nameOfReceipt(file, ITEM, stage, 'json')] as const,
          ...(result === undefined ? [] : [['receipts', result] as const]),
        ];
        const names = namesOf(layout);
        const homes = [{ home: 'A', folder: '' }];
        const seen = new Map<string, string>();
        for (const [folder, name] of files) {
          const sight = sightOf(naming, folder, toByteName(name));
          const path = [...names[sight.folder].split('/'), sight.kind ?? '', sight.name].filter((part) => part !== '');
          expect(findNode({ homes, rules: { layout } }, path)).toMatchObject({
            kind: 'published-file',
            at: { folder },
            name: toByteName(name),
          });
          expect(sight.folder === 'duplicates' && folder === 'accepted').toBe(folder === 'accepted' && original !== plain);
          expect(seen.get(path.join('/')) ?? `${folder}/${name}`).toBe(`${folder}/${name}`);
          seen.set(path.join('/'), `${folder}/${name}`);
        }
      }),
    );
  });

  it('that are results in the inbox have names that no client gives a file which is under way', () => {
    for (const { name } of Object.values(naming.receipts))
      expect(isTemporaryName(name({ accountRegNo: 'A', item: ITEM, stage: 'accepted', dropped: 'a.xml', original: 'a.xml' }, uuidOf))).toBe(
        false,
      );
  });
});

describe('folders of kinds', () => {
  const { kinds } = namingOf('incoming-outgoing-kinds');
  const document = { account: null, date: '2026-03-02', documentId: 'F_1', sender: '0088:1', integrationId: 'x1', version: 1 };

  it('there is one for each family, and none has the name of a folder below the inbox', () => {
    expect(Object.values(kinds).sort()).toEqual([...FAMILY_NAMES].sort());
    for (const folder of INBOX_FOLDERS) expect(Object.keys(kinds)).not.toContain(folder);
  });

  it.each(FAMILY_NAMES)('%s is told by the name of the document, whatever else stands in it', (family) => {
    const odd = fc.constantFrom('Invoice', 'Order', '2026-01-01', '_Invoice_', 'F-1');
    fc.assert(
      fc.property(fc.option(odd), odd, odd, (account, documentId, sender) => {
        const name = outboxName({ ...document, account, documentId, sender, family });
        expect(kinds[sightOf(namingOf('incoming-outgoing-kinds'), 'outbox', name).kind ?? '']).toBe(family);
        expect(sightOf(namingOf('incoming-outgoing-kinds'), 'outbox', `${name}.downloading`).kind).toBeDefined();
        expect(sightOf(namingOf('flat'), 'outbox', name).kind).toBeUndefined();
      }),
    );
  });

  it('stand at the top where the outbox does, and there no other folder has the name of one', () => {
    const layout: Layout = { like: 'incoming-outgoing-kinds', outbox: '' };
    expect(isFine(layout)).toBe(true);
    const top = findNode({ homes: [{ home: 'A', folder: '' }], rules: { layout } }, []);
    expect(top).toMatchObject({ children: expect.arrayContaining(['Incoming', ...Object.keys(kinds)]) });
    for (const receipts of ['Invoices', 'invoices', 'Catalogues/receipts']) expect(isFine({ ...layout, receipts })).toBe(false);
    expect(isFine({ like: 'incoming-outgoing-kinds', receipts: 'Invoices' })).toBe(true);
    expect(isFine({ outbox: '', receipts: 'Invoices' })).toBe(true);
  });

  it('what has another name stands in none', () => {
    expect(sightOf(namingOf('incoming-outgoing-kinds'), 'outbox', 'DLVY-A-1.xml')).toEqual({
      folder: 'outbox',
      kind: undefined,
      name: 'DLVY-A-1.xml',
    });
    expect(sightOf(namingOf('incoming-outgoing-kinds'), 'accepted', '2026-03-02_Invoice_1.xml').kind).toBeUndefined();
  });
});
