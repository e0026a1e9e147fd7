// V8 says so when it does not know a flag any more, and does nothing.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('this V8 knows how far heaps shall grow', () => {
  const module = new URL('../../../../src/runtime/threads/heap-growth.ts', import.meta.url);
  const { status, stderr } = spawnSync(process.execPath, ['--eval', `import('${module.href}').then((it) => it.letHeapsGrow())`], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
