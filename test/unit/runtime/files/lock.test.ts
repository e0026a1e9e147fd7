// The lock of a node: it waits for one that a machine which has crashed may have left at the file server, and not for ever.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { lockAlone, lockNode } from '#runtime/files/lock.ts';
import { until } from '../../../support/until.ts';

/** How long a file server keeps them. */
const KEPT_MS = 90_000;
const STEP_MS = 10_001;

describe("A node's lock", () => {
  let folder: string;
  let skippedMs: number;
  let waits: number;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dropgate-lock-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    [skippedMs, waits] = [0, 0];
    const now = performance.now.bind(performance);
    const spied = vi.spyOn(performance, 'now').mockImplementation(() => now() + skippedMs);
    onTestFinished(() => spied.mockRestore());
  });

  const lock = (): Promise<Disposable> => lockNode(folder, 'one', () => waits++);

  it('is waited for as long as a file server keeps it, which is told, and taken then', async () => {
    const left = await lock();
    const taking = lock();
    while (skippedMs + STEP_MS < KEPT_MS) {
      const before = waits;
      skippedMs += STEP_MS;
      await until('it to be told', () => waits > before);
    }
    left[Symbol.dispose]();
    (await taking)[Symbol.dispose]();
  });

  it('is refused where another has it for longer', async () => {
    using _another = await lock();
    const message = `Another dropgate runs on ${folder} as node one; stop it first, or give this one another name (node).`;
    const refused = expect(lock()).rejects.toMatchObject({ code: 'locked', message });
    const told = waits;
    skippedMs = 2 * KEPT_MS;
    await refused;
    expect(waits).toBeGreaterThan(told);
  });

  it('keeps away what needs the folder for itself, which is told to wait for the end of that node', async () => {
    using _another = await lock();
    expect(() => lockAlone(folder)).toThrow(`Another dropgate runs on ${folder} (lock-one); stop it first.`);
  });

  it('of another node is none of its own', async () => {
    using _one = await lock();
    using _two = await lockNode(folder, 'two', () => waits++);
    expect(waits).toBe(0);
  });
});
