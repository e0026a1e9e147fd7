import { expect, it } from 'vitest';
import { fuzz } from './judge.ts';

it('judges 1,500 documents that somebody got wrong, and says the same of JSON and XML', async () => {
  const { invalid, compared, unreadable } = await fuzz(1, 1_500);
  for (const count of [invalid, compared, unreadable]) expect(count).toBeGreaterThan(100);
});
