// A daemon that was stopped, or hangs: its socket takes connections, and nobody answers.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { askDaemon } from '#cli/control/client.ts';
import { controlPath } from '#installation/control-path.ts';

const WAITS = { noticeMs: 50, lookMs: 200, otherMs: 600 };

async function listening(visited: (visitor: Socket) => void) {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-frozen-'));
  const place = { data, node: null };
  const socket = controlPath(place) ?? '';
  const visitors: Socket[] = [];
  const server = createServer((visitor) => {
    visitors.push(visitor.on('error', () => undefined));
    visited(visitor);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  chmodSync(socket, 0o600);
  onTestFinished(() => {
    for (const visitor of visitors) visitor.destroy();
    server.close();
    rmSync(data, { recursive: true, force: true });
  });
  return (name: string, told: string[] = []) => askDaemon(place, name, {}, (text) => told.push(text), WAITS);
}

it('is told to who looks: soon on a terminal, and at the end in a sentence that fits', async () => {
  const ask = await listening(() => undefined);
  const told: string[] = [];
  const startMs = performance.now();
  await expect(ask('status', told)).rejects.toMatchObject({
    code: 'internal',
    message: expect.stringMatching(/^The daemon does not answer: it was stopped, or hangs\. Nothing was changed\./),
  });
  expect(performance.now() - startMs).toBeLessThan(WAITS.otherMs);
  expect(told).toEqual([expect.stringMatching(/^The daemon does not answer/)]);
});

it('is told to who orders something, which may have been done', async () => {
  const ask = await listening(() => undefined);
  await expect(ask('account.add')).rejects.toThrow('broke off before it had answered: look whether it was done');
});

it('who looks may ask again when the daemon breaks off', async () => {
  const ask = await listening((visitor) => void visitor.once('data', () => visitor.destroy()));
  await expect(ask('status')).rejects.toThrow('broke off before it had answered: ask again');
});

it('that gives signs is waited for, and what was said of its silence is taken away', async () => {
  const ask = await listening((visitor) => {
    visitor.write('HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n');
    let signs = 0;
    const timer = setInterval(() => {
      if (++signs < 5) return void visitor.write('\n');
      clearInterval(timer);
      visitor.end('{"answer":7}\n');
    }, 100);
  });
  const told: string[] = [];
  expect(await ask('status', told)).toEqual({ answer: 7 });
  expect(told.slice(0, 2)).toEqual([expect.stringMatching(/^The daemon does not answer/), '']);
});
