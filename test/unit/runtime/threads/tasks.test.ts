// Tasks over a port: each is answered with its own, and an end that is gone keeps nobody waiting.
import { MessageChannel } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { AppError } from '#domain/error.ts';
import { answerAsker, openAsker } from '#runtime/threads/tasks.ts';

interface Halving {
  half: { readonly asked: number; readonly found: number };
}

function ends() {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  return { asker: openAsker<Halving>(port1), port: port2 };
}

it('each is answered with its own, or with what was thrown', async () => {
  const { asker, port } = ends();
  answerAsker<Halving>(port, {
    async half(number) {
      if (number % 2 !== 0) throw new AppError('invalid', 'odd', { facts: { number } });
      return number / 2;
    },
  });
  const asked = [asker.ask('half', 4), asker.ask('half', 3), asker.ask('half', 8)];
  expect(await Promise.allSettled(asked)).toMatchObject([
    { value: 2 },
    { reason: { code: 'invalid', facts: { number: 3 } } },
    { value: 4 },
  ]);
  expect(asker.waiting).toBe(0);
});

it('who asks an end that is gone is told at once, as is who waited for it', async () => {
  const { asker } = ends();
  const waiting = asker.ask('half', 4);
  const gone = new AppError('internal', 'gone');
  asker.fail(gone);
  await expect(waiting).rejects.toBe(gone);
  await expect(asker.ask('half', 4)).rejects.toBe(gone);
});
