import { expect, it } from 'vitest';
import { beginWith } from '#engines/postgres/locks.ts';

it('takes the locks of scopes in one order, each once, whatever order they are named in', () => {
  const scopes = ['home a', 'account b', 'administration'];
  const begin = beginWith('dropgate_core', scopes, null);
  expect(begin.match(/pg_advisory_xact_lock/g)).toHaveLength(3);
  expect(beginWith('dropgate_core', [...scopes.toReversed(), 'home a'], null)).toBe(begin);
  expect(beginWith('dropgate_gateway', scopes, null)).not.toBe(begin);
});
