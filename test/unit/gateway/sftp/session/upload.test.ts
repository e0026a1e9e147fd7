import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '#domain/error.ts';
import type { Intake } from '#gateway/model/intake.ts';
import { Upload } from '#gateway/sftp/session/upload.ts';
import { systemClock } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';

const REQUEST = { home: 'A1', folder: 'inbox', name: 'a.xml', login: 'erp', session: 's', resume: false } as const;

describe('an upload', () => {
  let folder: string;
  let ends: [string, unknown][];
  let failures: AppError[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dropgate-upload-'));
    ends = [];
    failures = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** An upload to `path`, with an intake that only remembers how it ended. */
  function begin(path = join(folder, 'file'), fileMaxBytes = 2 ** 30): Promise<Upload> {
    if (path.startsWith(folder)) writeFileSync(path, '');
    const nothing = () => Promise.reject(new Error('not part of this test'));
    const intake: Intake = {
      open: async () => ({ upload: 'u', path, size: 0 }),
      async commit(_upload, { begunAt, ...file }) {
        expect(begunAt ?? 0).toBeLessThanOrEqual(Date.now());
        ends.push(['commit', { ...file, onDisk: statSync(path).size }]);
        return { state: 'taken', item: 'i' };
      },
      grow: nothing,
      abandon: async () => void ends.push(['abandon', null]),
      cancel: async () => void ends.push(['cancel', null]),
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
    const log = openLog('silent');
    return Upload.begin(REQUEST, {
      intake,
      fileMaxBytes,
      append: false,
      isAnswerIgnored: false,
      existed: false,
      mayCommit: () => true,
      resumes: false,
      handedOver: null,
      failed(error) {
        failures.push(error);
        return error;
      },
      abandoned: () => {},
      clock: systemClock,
      log,
    });
  }

  it('is committed when the last of its writes is on disk, not before', async () => {
    const upload = await begin();
    const piece = Buffer.alloc(8 * 2 ** 20, 'x');
    const writes = Array.from({ length: 12 }, (_, n) => upload.write(n * piece.length, piece));
    await upload.commit();
    await Promise.all(writes);
    expect(ends).toEqual([['commit', expect.objectContaining({ size: 12 * piece.length, onDisk: 12 * piece.length })]]);
  });

  it('without a byte is committed all the same when its name is new', async () => {
    await (await begin()).commit();
    expect(ends).toEqual([['commit', expect.objectContaining({ size: 0 })]]);
  });

  it('has the digest of what lies on disk, or none where its size was set meanwhile', async () => {
    const upload = await begin();
    await upload.write(0, Buffer.from('0123456789'));
    await upload.resize(4);
    await upload.resize(10);
    await upload.commit();
    const other = await begin(join(folder, 'other'));
    await other.write(0, Buffer.from('0123456789'));
    await other.commit();
    const sha256 = createHash('sha256').update('0123456789').digest('hex');
    expect(ends).toEqual([
      ['commit', { size: 10, onDisk: 10, sha256: null }],
      ['commit', { size: 10, onDisk: 10, sha256 }],
    ]);
  });

  it('is abandoned when the last of its writes is on disk, not before', async () => {
    const upload = await begin();
    void upload.write(0, Buffer.alloc(8 * 2 ** 20, 'x'));
    await upload.abandon();
    expect(ends).toEqual([['abandon', null]]);
    expect(readFileSync(join(folder, 'file')).length).toBe(8 * 2 ** 20);
  });

  it('to a full disk fails with a sentence at every further step, and is cancelled once', async () => {
    const upload = await begin('/dev/full');
    const full = expect.objectContaining({ code: 'storage', message: 'the disk of the server is full; try again later' });
    await expect(upload.write(0, Buffer.from('abc'))).rejects.toEqual(full);
    await expect(upload.write(3, Buffer.from('def'))).rejects.toEqual(full);
    await expect(upload.commit()).rejects.toEqual(full);
    expect([ends, failures]).toEqual([[['cancel', null]], [full]]);
  });

  it('that failed is not abandoned as well', async () => {
    const upload = await begin(join(folder, 'file'), 2);
    await expect(upload.write(0, Buffer.from('abc'))).rejects.toMatchObject({ code: 'too-large' });
    await upload.abandon();
    expect(ends).toEqual([['cancel', null]]);
  });

  it('cannot be begun where a link lies', async () => {
    await expect(begin('/proc/self/exe')).rejects.toMatchObject({ code: 'storage' });
    expect(ends).toEqual([['cancel', null]]);
  });
});
