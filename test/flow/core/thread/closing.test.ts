// How the core's listener ends: what was asked is answered, and nobody who is slow or silent keeps the next start waiting.
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { IN_PLACE, startTestCore, type TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { until } from '../../../support/until.ts';

interface Client {
  readonly socket: Socket;
  heard(): string;
  readonly cut: Promise<void>;
}

async function clientOf({ core }: TestCore): Promise<Client> {
  const socket = connect(Number(new URL(core.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (piece) => (text += piece)).on('error', () => {});
  const cut = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await until('the connection', () => !socket.connecting);
  return { socket, heard: () => text, cut };
}

const post = ({ seller }: TestCore, body: Uint8Array, bytes = body.length): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST /transaction/seller/invoices/outgoing HTTP/1.1\r\nhost: x\r\nauthorization: ApiKey ${seller.apiKey}\r\ncontent-type: application/xml\r\ncontent-length: ${body.length}\r\n\r\n`,
    ),
    body.subarray(0, bytes),
  ]);

it('answers what was asked before the end and says that the connection ends, however long that takes', async () => {
  const examining = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const core = await startTestCore({
    examiner: {
      ...IN_PLACE,
      async examine(submission) {
        begun.resolve();
        await examining.promise;
        return IN_PLACE.examine(submission);
      },
    },
  });
  const [asking, silent] = [await clientOf(core), await clientOf(core)];
  asking.socket.write(post(core, invoice({})));
  await begun.promise;
  const closed = core.core.close();
  // By now all are cut that are owed no answer.
  await silent.cut;
  expect(asking.heard()).toBe('');
  examining.resolve();
  await asking.cut;
  await closed;
  expect(asking.heard()).toMatch(/^HTTP\/1\.1 200 /);
  expect(asking.heard()).toMatch(/^connection: close\r$/im);
});

it('waits neither for who says nothing, nor for a request that never ends, nor for who asks no more', async () => {
  const core = await startTestCore();
  const [silent, slow, idle] = [await clientOf(core), await clientOf(core), await clientOf(core)];
  slow.socket.write(post(core, invoice({}), 100));
  idle.socket.write(post(core, invoice({})));
  await until('an answer', () => idle.heard().includes('200 OK'));
  await core.core.close();
  await Promise.all([silent.cut, slow.cut, idle.cut]);
  expect([silent.heard(), slow.heard()]).toEqual(['', '']);
});
