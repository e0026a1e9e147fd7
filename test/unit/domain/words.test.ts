// The words of the domain: families, participants, names, ids, retries.
import { describe, expect, it } from 'vitest';
import { checkedName } from '#domain/account.ts';
import { FAMILIES, familyOfRoot, familyOfSegment } from '#domain/family.ts';
import { base32, itemIds, shortId } from '#domain/id.ts';
import { glnCheckDigit, isGln, parseParticipant, participantOf } from '#domain/participant.ts';
import { UNKNOWN_WAITS_MS, waitAfter } from '#domain/retry.ts';
import { randomOf } from '../../support/random.ts';

describe('families', () => {
  it('there are eight, each found by its root and by its segment however that is spelled', () => {
    expect(FAMILIES).toHaveLength(8);
    for (const family of FAMILIES) {
      expect(familyOfRoot(family.name)).toBe(family);
      expect(familyOfSegment(family.segment)).toBe(family);
      expect(familyOfSegment(family.segment.replaceAll('-', '').toUpperCase())).toBe(family);
    }
    expect(familyOfSegment('quotations')).toBeUndefined();
  });

  it('S063 a despatch advice is created under catalogue_id first', () => {
    expect(familyOfRoot('DespatchAdvice')?.idKeys).toEqual(['catalogue_id', 'despatchadvice_id']);
  });
});

describe('participants', () => {
  it('values do not tell upper from lower case', () => {
    expect(participantOf('9930', 'DE123')).toBe('9930:de123');
  });
  it.each([
    ['007', '1'],
    ['00077', '1'],
    ['0007', ''],
    ['0007', 'a b'],
    [undefined, '1'],
    ['0007', undefined],
  ])('%s:%s is none', (scheme, value) => {
    expect(participantOf(scheme, value)).toBeUndefined();
  });
  it('a GLN has a check digit', () => {
    expect(glnCheckDigit('730001000000')).toBe('1');
    expect(isGln('7300010000001')).toBe(true);
    expect(isGln('7300010000002')).toBe(false);
    expect(() => parseParticipant('0088:7300010000002')).toThrow('check digit');
    expect(parseParticipant('0007:5567321707')).toBe('0007:5567321707');
  });
});

describe('names', () => {
  it.each(['acme-ab', 'A', '5567321707', 'se.acme_1'])('%s is allowed', (name) => expect(checkedName('accountRegNo', name)).toBe(name));
  it.each(['', '.', '..', '../x', 'a/b', 'a\\b', 'a b', '-a', 'a.', 'å', 'receiving', 'CON', 'nul.x', 'a'.repeat(65), 'a~b', 'a\0'])(
    '%j is refused',
    (name) => {
      expect(() => checkedName('accountRegNo', name)).toThrow('is not allowed');
    },
  );
});

describe('item ids', () => {
  it('sort in the order in which they were made, also within a millisecond and when the clock steps back', () => {
    const times = [5, 5, 5, 6, 2, 2, 7];
    const random = randomOf(1);
    let at = 0;
    const newId = itemIds(
      () => times[Math.min(at++, times.length - 1)] ?? 0,
      // Of a seed: of 40,000 true draws two ends are alike now and then.
      (bytes) => Uint8Array.from({ length: bytes }, () => random(0, 255)),
    );
    const ids = Array.from({ length: 40_000 }, newId);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids.map(shortId)).size).toBe(ids.length);
    expect(ids[0]).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });
  it('base 32 keeps every bit', () => {
    expect(base32(new Uint8Array([255, 0, 255]))).toBe('ZW0FY');
  });
});

it('the last wait of a ladder repeats', () => {
  expect([1, 2, 6, 7, 100].map((tries) => waitAfter(UNKNOWN_WAITS_MS, tries))).toEqual([5_000, 15_000, 900_000, 900_000, 900_000]);
});
