import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLayout, type Layout, namesOf, namingOf, overwriteAdvice, receivedNaming } from '#gateway/model/layout.ts';
import { HOME_FOLDERS, LAYOUT_NAMES } from '#gateway/model/rule-words.ts';
import { findNode } from '#gateway/sftp/session/tree.ts';
import { uuidOf } from '#runtime/uuid.ts';

const name = fc.stringMatching(/^[A-Za-z0-9]{1,4}$/);
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
    expect(namesOf(undefined)).toEqual(Object.fromEntries(HOME_FOLDERS.map((folder) => [folder, folder])));
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
        const places = HOME_FOLDERS.map((folder) => JSON.stringify(findNode(viewer, layout[folder] === '' ? [] : [layout[folder]])));
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

  it('names that differ by case alone are refused', () => {
    expect(isFine({ inbox: 'in', receipts: 'IN' })).toBe(false);
    expect(isFine({ accepted: 'OUTBOX' })).toBe(false);
    expect(isFine({ accepted: 'OUTBOX', outbox: '' })).toBe(true);
  });
});
