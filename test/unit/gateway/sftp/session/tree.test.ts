import { describe, expect, it } from 'vitest';
import { toByteName } from '#gateway/model/intake.ts';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import { formatPath, parsePath, toText } from '#gateway/sftp/protocol/paths.ts';
import { findNode, type PublishedFolder } from '#gateway/sftp/session/tree.ts';

const own = [{ home: 'A1', folder: '' }];
const partner = [
  { home: 'A1', folder: 'acme-ab' },
  { home: 'B2', folder: 'bolag-å' },
];
const find = (homes: typeof own, path: string, rules: LoginRules = {}) => findNode({ homes, rules }, parsePath(path));
/** A folder that shows its own files, and no others. */
const published = (at: PublishedFolder) => ({
  kind: 'published-folder',
  at,
  children: [],
  sources: [{ at, shown: expect.any(Function), onDisk: expect.any(Function) }],
});

describe('paths', () => {
  it.each([
    ['', '/'],
    ['.', '/'],
    ['/', '/'],
    ['inbox', '/inbox'],
    ['//inbox///a', '/inbox/a'],
    ['/inbox/./a', '/inbox/a'],
    ['/inbox/../outbox', '/outbox'],
    ['../../../etc/passwd', '/etc/passwd'],
    ['/inbox/..', '/'],
    ['\\inbox', '/\\inbox'],
    ['/inbox/...', '/inbox/...'],
  ])('%j is %j', (path, canonical) => {
    expect(formatPath(parsePath(path))).toBe(canonical);
  });

  it.each([['a\0b'], ['x'.repeat(256)], ['a/b/c/d/e/f/g/h/i']])('%j is refused', (path) => {
    expect(() => parsePath(path)).toThrow(expect.objectContaining({ code: 'name' }));
  });

  it('byte names and text', () => {
    expect(toByteName('é')).toBe('Ã©');
    expect(toText('Ã©')).toBe('é');
    expect(toText('caf\xe9.xml')).toBeNull();
  });
});

describe('the tree', () => {
  it('of one account has its folders at the top', () => {
    expect(find(own, '/')).toEqual({ kind: 'fixed', children: ['inbox', 'outbox', 'receipts', 'accepted', 'refused'] });
    expect(find(own, '/inbox')).toEqual({
      kind: 'inbox',
      place: { home: 'A1', folder: 'inbox' },
      children: ['overwrite', 'tmp'],
      sources: [],
    });
    expect(find(own, '/inbox/overwrite')).toEqual({ kind: 'inbox', place: { home: 'A1', folder: 'overwrite' }, children: [], sources: [] });
    expect(find(own, '/inbox/a.xml')).toMatchObject({ kind: 'dropped', place: { home: 'A1', folder: 'inbox' }, name: 'a.xml' });
    expect(find(own, '/inbox/tmp/a.xml')).toMatchObject({ kind: 'dropped', place: { home: 'A1', folder: 'tmp' }, name: 'a.xml' });
    expect(find(own, '/outbox')).toEqual(published({ home: 'A1', folder: 'outbox' }));
    expect(find(own, '/outbox/a')).toMatchObject({ kind: 'published-file', at: { home: 'A1', folder: 'outbox' }, name: 'a' });
  });

  it('of several accounts has a folder for each', () => {
    expect(find(partner, '/')).toEqual({ kind: 'fixed', children: ['acme-ab', toByteName('bolag-å')] });
    expect(find(partner, '/acme-ab')).toMatchObject({ kind: 'fixed' });
    expect(find(partner, `/${toByteName('bolag-å')}/receipts`)).toEqual(published({ home: 'B2', folder: 'receipts' }));
    expect(find(partner, '/acme-ab/inbox/x')).toMatchObject({ kind: 'dropped', place: { home: 'A1' } });
  });

  it.each(['/etc', '/inbox/a/b', '/outbox/a/b', '/A1/inbox', '/INBOX', '/.staged', '/inbox/overwrite/a/b'])('%s is nowhere', (path) => {
    expect(find(own, path)).toEqual({ kind: 'nowhere' });
  });

  it('has folders in folders where names are paths, and nothing beside them there', () => {
    const rules: LoginRules = { layout: { inbox: 'a/in', outbox: '', refused: 'a/b/no' }, answers: ['status'] };
    expect(find(own, '/', rules)).toMatchObject({ kind: 'published-folder', children: ['a', 'receipts', 'accepted', 'status'] });
    expect(find(own, '/a', rules)).toEqual({ kind: 'fixed', children: ['in', 'b'] });
    expect(find(partner, '/acme-ab/a/b', rules)).toEqual({ kind: 'fixed', children: ['no'] });
    expect(find(own, '/a/in/tmp/x', rules)).toMatchObject({ kind: 'dropped', place: { home: 'A1', folder: 'tmp' }, name: 'x' });
    expect(find(own, '/a/b/no/x', rules)).toMatchObject({ kind: 'published-file', at: { home: 'A1', folder: 'refused' }, name: 'x' });
    for (const path of ['/a/x', '/a/b/x', '/in/x', '/no/x', '/a/in/b/no']) expect(find(own, path, rules)).toEqual({ kind: 'nowhere' });
  });

  it('no account name leads into a home that the login does not have', () => {
    expect(find(partner, '/C3/inbox')).toEqual({ kind: 'nowhere' });
    expect(find(partner, '/inbox')).toEqual({ kind: 'nowhere' });
  });
});
