// ZIP archives as others read them: Python's zipfile checks each entry's CRC and tells the permissions that an unpacker gives it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { zipOf } from '#runtime/files/zip.ts';
import { have, PYTHON } from '../../../support/sftp-clients.ts';

const AT_MS = Date.UTC(2026, 10, 27, 13, 45, 31);
const ENTRIES = [
  { path: 'kit/README.txt', text: 'Läs mig\r\n', isProgram: false },
  { path: 'kit/räkning/send.sh', text: '#!/bin/sh\nexit 0\n', isProgram: true },
  { path: 'kit/empty', text: '', isProgram: false },
];
const READ = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
print(json.dumps({
    'broken': archive.testzip(),
    'entries': [[e.filename, archive.read(e).decode(), oct(e.external_attr >> 16), list(e.date_time)] for e in archive.infolist()],
}))`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-zip-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(bytes: Buffer): unknown {
  const path = join(folder, 'archive.zip');
  writeFileSync(path, bytes);
  return JSON.parse(execFileSync(PYTHON, ['-c', READ, path], { encoding: 'utf8' }));
}

describe.skipIf(!have('python3'))('a ZIP archive', () => {
  it('holds each text under its name, at its time, and says who may run it', () => {
    const at = [2_026, 11, 27, 13, 45, 30];
    expect(read(zipOf(ENTRIES, AT_MS))).toEqual({
      broken: null,
      entries: ENTRIES.map(({ path, text, isProgram }) => [path, text, isProgram ? '0o100755' : '0o100644', at]),
    });
  });

  it('of nothing is one, too', () => {
    expect(read(zipOf([], AT_MS))).toEqual({ broken: null, entries: [] });
  });
});
