// Which file says of which that it is complete.
import { describe, expect, it } from 'vitest';
import { doneFileFor, doneFileOf, isDoneFile, speaksFor } from '#gateway/model/done-file.ts';

describe('a done-file', () => {
  it.each([
    ['.done', 'invoice.xml', 'invoice.xml.done'],
    ['.xml.ok', 'invoice', 'invoice.xml.ok'],
    ['*.done', 'invoice.xml', 'invoice.done'],
    ['*.ok', 'no-ending', 'no-ending.ok'],
  ])('of form %s for %s is %s', (form, document, done) => {
    expect(doneFileFor(document, form)).toBe(done);
    expect(isDoneFile(done, form)).toBe(true);
    expect(isDoneFile(document, form)).toBe(false);
  });

  it.each(['done', '.', '', '*', '*done', '.xml', '*.JSON', '.tmp', '.part', '../x', '.a/b', `.${'x'.repeat(40)}`])(
    'has no form %j',
    (form) => {
      expect(() => doneFileOf(form)).toThrow('names no done-files');
    },
  );

  const at = (mtimeMs: number, ctimeMs = mtimeMs) => ({ size: 1, ino: 1, mtimeMs, ctimeMs });
  it('speaks for a document that was not changed after it', () => {
    expect(speaksFor(at(2_000), at(1_000))).toBe(true);
    expect(speaksFor(at(2_000), at(2_000))).toBe(true);
  });
  it('that an earlier document left behind does not', () => {
    expect(speaksFor(at(1_000), at(2_000))).toBe(false);
  });
  it('speaks for a document that was given a time in the future, or was renamed in later', () => {
    expect(speaksFor(at(2_000), at(9_000_000, 1_000))).toBe(true);
    expect(speaksFor(at(2_000), at(1_000, 3_000))).toBe(true);
  });
});
