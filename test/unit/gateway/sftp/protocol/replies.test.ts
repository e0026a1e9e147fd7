import { describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { refusalReply } from '#gateway/sftp/protocol/refusals.ts';
import { DATA_HEAD_BYTES, dataReply, longName, namesReply, statusReply, versionReply } from '#gateway/sftp/protocol/replies.ts';

const NOW = Date.UTC(2026, 10, 21, 8, 30);

describe('replies', () => {
  it('VERSION announces version 3 and the extensions; posix-rename with exactly "1"', () => {
    const bytes = versionReply();
    expect(bytes.readUInt32BE(0)).toBe(bytes.length - 4);
    expect([bytes[4], bytes.readUInt32BE(5)]).toEqual([2, 3]);
    expect(bytes.toString('latin1')).toContain('\0\0\0\x18posix-rename@openssh.com\0\0\0\x011');
    // Neither hardlink nor copy-data: there are no links here, and nothing is copied on the server.
    expect(bytes.toString('latin1').match(/[a-z-]+@openssh\.com/g)).toEqual(
      ['posix-rename', 'statvfs', 'fsync', 'limits', 'expand-path'].map((name) => `${name}@openssh.com`),
    );
  });

  it('a status carries its sentence in UTF-8', () => {
    const sentence = Buffer.from('für später').toString('hex');
    expect(statusReply(9, 4, 'für später').toString('hex')).toBe(`0000001f65${'00000009'}${'00000004'}0000000c${sentence}00000002656e`);
  });

  it.each([
    ['missing', 2],
    ['forbidden', 3],
    ['name', 3],
    ['bad-request', 5],
    ['not-implemented', 8],
    ['quota', 4],
    ['exists', 4],
  ] as const)('%s is status %i', (code, status) => {
    expect(refusalReply(1, new AppError(code, 'why')).readUInt32BE(9)).toBe(status);
  });

  it('what is not ours becomes FAILURE with a sentence that tells nothing of the inside', () => {
    const bytes = refusalReply(1, new TypeError('secret path /data/x'));
    expect(bytes.readUInt32BE(9)).toBe(4);
    expect(bytes.toString()).not.toContain('secret');
  });

  it('DATA is completed around what was read', () => {
    const buffer = Buffer.alloc(DATA_HEAD_BYTES + 10, 'x');
    expect(dataReply(3, buffer, 4).toString('hex')).toBe('0000000d67000000030000000478787878');
  });

  it('the long name is a line of ls -l, with a year for what is older than six months', () => {
    const file = { name: 'a.xml', kind: 'file', size: 1234, mtimeMs: NOW - 60_000 } as const;
    expect(longName(file, NOW)).toBe('-rw-r-----    1 dropgate dropgate         1234 Nov 21 08:29 a.xml');
    expect(longName({ ...file, mtimeMs: Date.UTC(2025, 0, 2) }, NOW)).toBe(
      '-rw-r-----    1 dropgate dropgate         1234 Jan  2  2025 a.xml',
    );
    expect(longName({ ...file, kind: 'folder' }, NOW)).toMatch(/^drwxr-x---/);
  });

  it('a time outside of 32 bits is brought inside', () => {
    const names = [-5_000, Number.MAX_SAFE_INTEGER].map((mtimeMs) => ({ name: 'x', kind: 'file', size: 0, mtimeMs }) as const);
    expect(() => namesReply(1, names, NOW)).not.toThrow();
  });
});
