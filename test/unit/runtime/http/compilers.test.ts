import { expect, it } from 'vitest';
import { compilingOnce } from '#runtime/http/compilers.ts';

it('compiles once what is the same as JSON', () => {
  const compiled: unknown[] = [];
  const compile = compilingOnce(({ schema }: { schema: object }) => {
    compiled.push(schema);
    return { schema };
  });
  const text = compile({ schema: { type: 'string' } });
  expect(compile({ schema: { type: 'string' } })).toBe(text);
  expect(compile({ schema: { type: 'number' } })).not.toBe(text);
  expect(compiled).toEqual([{ type: 'string' }, { type: 'number' }]);
});
