import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { READ_BYTES_MAX, REQUESTS, readHead } from '#gateway/sftp/protocol/requests.ts';

/** 100,000 in a long run: FUZZ_RUNS=100000. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 3_000);

/** Reads a packet whole; returns the fields, or the code of what was wrong with it. */
function readPacket(packet: Buffer): unknown {
  try {
    const { name, fields } = readHead(packet);
    return name === null ? 'unknown' : { name, ...REQUESTS[name].parse(fields) };
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

function packet(type: number, ...fields: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([type]), ...fields]);
}

describe('the requests of SFTP version 3', () => {
  it('are read by their numbers', () => {
    const id = uint32(7);
    expect(readHead(packet(17, id, string('/inbox')))).toMatchObject({ id: 7, name: 'stat' });
    expect(readPacket(packet(1, uint32(3)))).toEqual({ name: 'init', version: 3 });
    expect(readPacket(packet(3, id, string('/inbox/a'), uint32(0x1a), uint32(0)))).toEqual({ name: 'open', path: '/inbox/a', flags: 0x1a });
    expect(readPacket(packet(6, id, string('h'), uint64(2 ** 40), string('data')))).toMatchObject({ name: 'write', offset: 2 ** 40 });
    expect(readPacket(packet(18, id, string('a'), string('b')))).toEqual({ name: 'rename', from: 'a', to: 'b' });
    expect(readPacket(packet(200, id, string('posix-rename@openssh.com'), string('a'), string('b')))).toEqual({
      name: 'posixRename',
      from: 'a',
      to: 'b',
    });
  });

  it('keep every byte of a name', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const read = readPacket(packet(17, uint32(1), string(bytes)));
    expect(read).toEqual({ name: 'stat', path: bytes.toString('latin1') });
  });

  it('never ask for more than a reply may hold', () => {
    expect(readPacket(packet(5, uint32(1), string('h'), uint64(0), uint32(0xffffffff)))).toMatchObject({ length: READ_BYTES_MAX });
  });

  it('read the size of a wish and nothing else', () => {
    const wish = (...fields: Buffer[]) => readPacket(packet(9, uint32(1), string('/a'), ...fields));
    expect(wish(uint32(0x01), uint64(5))).toMatchObject({ wish: { size: 5 } });
    expect(wish(uint32(0x0c), uint32(0o644), uint32(1), uint32(2))).toMatchObject({ wish: { size: null } });
    expect(wish(uint32(0x01))).toBe('bad-request');
  });

  it('unknown ones are told apart from broken ones', () => {
    expect(readPacket(packet(99, uint32(1)))).toBe('unknown');
    expect(readPacket(packet(200, uint32(1), string('check-file@x')))).toBe('unknown');
    expect(readPacket(packet(17, uint32(1)))).toBe('bad-request');
    expect(readPacket(packet(17))).toBe('bad-request');
    expect(readPacket(Buffer.alloc(0))).toBe('bad-request');
  });

  it('any bytes at all are read or refused, never worse', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        readPacket(Buffer.from(bytes));
      }),
      { numRuns: RUNS, verbose: 1 },
    );
  });

  it('any mutation of a good packet is read or refused, never worse', () => {
    const good = [
      packet(3, uint32(1), string('/inbox/invoice.xml'), uint32(0x1a), uint32(0)),
      packet(6, uint32(2), string('1'), uint64(32_768), string(Buffer.alloc(64, 1))),
      packet(10, uint32(3), string('1'), uint32(0x0d), uint64(9), uint32(0o600), uint32(1), uint32(2)),
      packet(18, uint32(4), string('/inbox/a.part'), string('/inbox/a')),
      packet(200, uint32(5), string('statvfs@openssh.com'), string('/')),
    ];
    const mutation = fc.record({
      which: fc.nat(good.length - 1),
      at: fc.nat(90),
      by: fc.uint8Array({ maxLength: 9 }),
      cut: fc.nat(90),
    });
    fc.assert(
      fc.property(mutation, ({ which, at, by, cut }) => {
        const bytes = Buffer.from(good[which] ?? []);
        bytes.set(by.slice(0, Math.max(bytes.length - at, 0)), Math.min(at, bytes.length));
        readPacket(bytes.subarray(0, bytes.length - cut));
      }),
      { numRuns: RUNS, verbose: 1 },
    );
  });
});
