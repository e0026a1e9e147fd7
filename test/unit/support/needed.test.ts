// What is not here is told of, or is a failure.
import { afterEach, expect, it, vi } from 'vitest';
import { needed, neededPackage } from '../../support/needed.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('what is here is not spoken of', () => {
  const told = vi.spyOn(console, 'warn').mockReturnValue();
  expect(neededPackage('sftp', true, 'openssh-client')).toBe(true);
  expect(told).not.toHaveBeenCalled();
});

it('what is not here is left out, with how to get it', () => {
  vi.stubEnv('DROPGATE_REQUIRE', '');
  const told = vi.spyOn(console, 'warn').mockReturnValue();
  expect(neededPackage('sftp', false, 'openssh-client')).toBe(false);
  expect(told.mock.calls.join()).toContain('sftp is not here: its tests are SKIPPED; apt install openssh-client');
});

it('a skip is a failure where all is required, unless this machine is excused by name', () => {
  vi.stubEnv('DROPGATE_REQUIRE', 'all');
  vi.stubEnv('DROPGATE_WITHOUT', 'official cases,FUSE');
  vi.spyOn(console, 'warn').mockReturnValue();
  expect(needed('FUSE', false, 'load its module')).toBe(false);
  expect(() => needed('sftp', false, 'apt install openssh-client')).toThrow(
    'sftp is not here, and no test may be left out: apt install openssh-client',
  );
});
