// Back-pressure of one session: it takes up no more than the client has taken of the answers.
import { expect, it } from 'vitest';
import { HomesInHand } from '#gateway/model/homes.ts';
import type { Intake } from '#gateway/model/intake.ts';
import { string, uint32 } from '#gateway/sftp/protocol/fields.ts';
import { CloseAnswers } from '#gateway/sftp/session/close-answers.ts';
import { Handles } from '#gateway/sftp/session/handles.ts';
import { PathNotes } from '#gateway/sftp/session/path-notes.ts';
import { type ChannelWriter, SftpSession } from '#gateway/sftp/session/session.ts';
import { ViewBytes } from '#gateway/sftp/session/views.ts';
import { LruCache } from '#runtime/cache.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../../../support/clock.ts';
import { until } from '../../../../support/until.ts';
import { EMPTY_VIEWS } from '../../../../support/views.ts';

const nothing = () => Promise.reject(new Error('not part of this test'));
const INTAKE: Intake = {
  open: nothing,
  commit: nothing,
  grow: nothing,
  abandon: nothing,
  cancel: nothing,
  view: nothing,
  find: nothing,
  where: nothing,
  touch: nothing,
  rename: nothing,
  remove: nothing,
  take: nothing,
  reclaim: nothing,
  resend: nothing,
  leave: () => {},
};
const REQUESTS = 5_000;
const MEBIBYTE = 2 ** 20;
/** Eight names of 255 bytes: as long as a path may be, and its answer twice as long. */
const LONG_PATH = `/${'n'.repeat(255)}`.repeat(8);

/** A session whose client takes nothing until it is told to. */
function open() {
  let unsent = 0;
  let sent = 0;
  let answers = 0;
  let isPaused = false;
  const writer: ChannelWriter = {
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
    },
    send: (packet) => {
      unsent += packet.length;
      sent += packet.length;
      answers++;
    },
    unsentBytes: () => unsent,
    show: () => {},
    finish: () => {},
  };
  const context = {
    login: { login: 'erp', passwordHash: null, publicKeys: [], homes: [], rules: {} },
    id: 's',
    intake: INTAKE,
    home: () => '/nowhere',
    views: EMPTY_VIEWS,
    viewBytes: new ViewBytes(),
    downloadTakes: () => false,
    isReceivedOrder: async () => false,
    folders: new FolderSync(),
    inHand: new HomesInHand(),
    fileMaxBytes: 1_000,
    failures: new PathNotes<string>(),
    markers: new PathNotes<never>(),
    transfers: { fetched: () => {}, failed: () => {}, partlyRead: new LruCache<{ upTo: number }>(1) },
    clock: manualClock(),
    log: openLog('silent'),
    closeAnswers: new CloseAnswers(''),
    isStopping: () => false,
  };
  const session = new SftpSession({ session: context, handles: new Handles(4) }, writer);
  return {
    session,
    take() {
      unsent = 0;
      session.sent();
    },
    seen: () => ({ sent, answers, isPaused }),
  };
}

function framed(...fields: readonly Buffer[]): Buffer {
  const packet = Buffer.concat(fields);
  return Buffer.concat([uint32(packet.length), packet]);
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await new Promise((next) => setImmediate(next));
}

it('a client that asks for thousands of answers and takes none is not read any more, and loses none when it does', async () => {
  const { session, take, seen } = open();
  session.receive(framed(Buffer.of(1), uint32(3)));
  for (let id = 1; id <= REQUESTS; id++) session.receive(framed(Buffer.of(16), uint32(id), string(LONG_PATH)));
  await quiet();
  expect(seen().isPaused).toBe(true);
  // One mebibyte that is not taken, and what was under way then; all of it would be twenty.
  expect(seen().sent).toBeGreaterThan(MEBIBYTE);
  expect(seen().sent).toBeLessThan(2 * MEBIBYTE);
  await until('all of them to be answered', async () => {
    take();
    await quiet();
    return seen().answers === REQUESTS + 1;
  });
  expect(seen().isPaused).toBe(false);
});
