// What an access point puts into a folder is refused for what it is, never for what is the matter with the core.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { receiveFiles } from '#core/network/folder-reception.ts';
import { AppError, type ErrorCode } from '#domain/error.ts';
import { putEnvelope } from '../../../support/access-point.ts';
import { manualClock } from '../../../support/clock.ts';
import { silent } from '../../../support/core.ts';
import { until } from '../../../support/until.ts';

const LOOK_MS = 2_000;

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dropgate-reception-'));
  folder = join(root, 'in');
  onTestFinished(() => rmSync(root, { recursive: true }));
});

/** Handles envelopes one after the other, each as the next of `fails` says; without one it is taken. */
function receive(...fails: unknown[]) {
  const clock = manualClock();
  let handled = 0;
  const reception = receiveFiles({ clock, log: silent }, folder, async () => {
    const error = fails[handled++];
    if (error !== undefined) throw error;
    return { reception: 'taken', country: null };
  });
  return { clock, reception, handled: () => handled };
}

it.each<[what: string, error: unknown]>([
  ['a core that stops', new AppError('internal', 'The thread is stopping.')],
  ['a disk that is full', new AppError('storage', 'The disk is full.')],
  ['a burst of documents', new AppError('rate-limited', 'Too many documents are being examined at this moment.')],
  ['a database that is locked', new AppError('locked', 'Another process has it.')],
  ['the same envelope in flight', new AppError('in-flight', 'It is being worked on.')],
  ['a defect', new TypeError('x is not a function')],
])('for %s an envelope stays where it is, and is taken when that is over', async (_, error) => {
  putEnvelope(root, 'a.xml', '<a/>');
  const { clock, reception, handled } = receive(error);
  await until('the failure', () => handled() === 1);
  await using _stopped = reception;
  await until('the next look', () => {
    clock.advance(LOOK_MS);
    return existsSync(join(folder, 'taken', 'a.xml'));
  });
  expect(readdirSync(join(folder, 'refused'))).toEqual([]);
});

it('what was being handled when the core stopped is there at the next start', async () => {
  putEnvelope(root, 'a.xml', '<a/>');
  const first = receive(new AppError('internal', 'The thread is stopping.'));
  await first.reception[Symbol.asyncDispose]();
  expect(readdirSync(folder)).toContain('a.xml');
  await using _second = receive().reception;
  await until('it is taken', () => existsSync(join(folder, 'taken', 'a.xml')));
});

it.each<ErrorCode>(['unreadable', 'invalid', 'unknown-receiver', 'too-large'])('for %s it is refused, with the reason', async (code) => {
  putEnvelope(root, 'a.xml', '<a/>');
  await using _stopped = receive(new AppError(code, 'Because.')).reception;
  await until('the refusal', () => existsSync(join(folder, 'refused', 'a.xml')));
  expect(JSON.parse(readFileSync(join(folder, 'refused', 'a.xml.json'), 'utf8'))).toEqual({ file: 'a.xml', reason: 'Because.' });
});
