// The one check of ssh2's version: what the server does without its patches.
import { expect, it } from 'vitest';
import { algorithmsOf } from '#gateway/sftp/ssh2/algorithms.ts';
import { patchSsh2 } from '#gateway/sftp/ssh2/patches.ts';
import { openLog } from '#runtime/log.ts';

function patch(version?: string) {
  const lines: string[] = [];
  const log = openLog('info', { write: (line: string) => void lines.push(line) });
  return { patches: patchSsh2(log, version), events: lines.map((line) => JSON.parse(line).event) };
}

it('the installed version is the one that the patches were read against', () => {
  const { patches, events } = patch();
  expect([patches.hasHybrid, events]).toEqual([true, []]);
});

it('another version is left as it is, with one warning', () => {
  const { patches, events } = patch('1.18.0');
  expect([patches.hasHybrid, patches.crypto, events]).toEqual([false, 'unknown', ['sftp.ssh2-unpatched']]);
  expect(algorithmsOf('compat', false).kex).not.toContain('mlkem768x25519-sha256');
  expect(() => algorithmsOf('strict', false)).toThrow(/^Profile strict needs mlkem768x25519-sha256/);
});
