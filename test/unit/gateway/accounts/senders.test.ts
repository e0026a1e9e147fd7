import { describe, expect, it } from 'vitest';
import { openSenders, type SenderParts } from '#gateway/accounts/senders.ts';

const PARTS: SenderParts = {
  participants: [
    { participant: '0007:1', accountRegNo: 'one' },
    { participant: '0007:2', accountRegNo: 'two' },
    { participant: '0007:3', accountRegNo: 'pooled' },
    { participant: '0007:4', accountRegNo: 'gone' },
  ],
  shared: new Set(['pool']),
  homes: new Map([['pooled', 'pool']]),
  logins: [
    {
      homes: [
        { home: 'one', folder: 'one-ab' },
        { home: 'two', folder: 'two-ab' },
        { home: 'pool', folder: '' },
      ],
    },
    { homes: [{ home: 'two', folder: '' }] },
    { homes: [{ home: 'other', folder: 'theirs' }] },
  ],
};

describe('on whose behalf a document is sent', () => {
  const { ownerOf } = openSenders(PARTS);
  const from = (home: string, sender: string) => ownerOf({ home, accountRegNo: home }, sender);

  it.each([
    ['one', '0007:1', 'one'],
    ['two', '0007:2', 'two'],
    ['open', '0007:9', 'open'],
    ['pool', '0007:3', 'pooled'],
  ])('in %s, with the sender %s: %s', (home, sender, account) => expect(from(home, sender)).toBe(account));

  it.each([
    ['one', '0007:2', { accountRegNo: 'two', folder: 'two-ab' }, 'one-ab'],
    ['one', '0007:9', null, 'one-ab'],
    ['one', '0007:3', { accountRegNo: 'pooled', folder: '' }, 'one-ab'],
    ['one', '0007:4', null, 'one-ab'],
    // Of those who see the one home, some do not see the other.
    ['two', '0007:1', null, ''],
    ['other', '0007:1', null, 'theirs'],
    ['open', '0007:1', null, ''],
    ['pool', '0007:9', null, ''],
    ['pool', '0007:1', { accountRegNo: 'one', folder: 'one-ab' }, ''],
    ['pool', '0007:4', null, ''],
  ])('in %s, the sender %s does not fit', (home, sender, belongsTo, folder) => {
    expect(from(home, sender)).toMatchObject({ sender, belongsTo, dropped: { accountRegNo: home, folder } });
  });

  it('names the addresses that the account has', () => {
    expect(from('one', '0007:9')).toMatchObject({ addresses: ['0007:1'] });
    expect(from('pool', '0007:9')).toMatchObject({ addresses: [] });
  });
});
