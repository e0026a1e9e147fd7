// What is moved out of accepted is what was looked at, whatever gets its name meanwhile.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { HomesInHand } from '#gateway/model/homes.ts';
import { moveOrder } from '#gateway/sftp/session/answer-files.ts';
import { FolderSync } from '#runtime/files/durable.ts';

it('another file that gets the name of an order while it is looked at goes back', async () => {
  const root = mkdtempSync(join(tmpdir(), 'dropgate-answers-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ['accepted', 'answer/accept']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'accepted/order.xml'), 'order');
  writeFileSync(join(root, 'accepted/own.xml'), 'own');
  const homes = { home: () => root, folders: new FolderSync(), inHand: new HomesInHand() };
  const at = { home: 'acme-ab', name: 'order.xml' };
  const swap = async (): Promise<boolean> => {
    renameSync(join(root, 'accepted/own.xml'), join(root, 'accepted/order.xml'));
    return true;
  };
  const moved = moveOrder(homes, { ...at, components: ['accepted'] }, { ...at, components: ['answer', 'accept'] }, swap);
  await expect(moved).rejects.toThrow('another file got this name');
  expect(readdirSync(join(root, 'answer/accept'))).toEqual([]);
  expect(readFileSync(join(root, 'accepted/order.xml'), 'utf8')).toBe('own');
});
