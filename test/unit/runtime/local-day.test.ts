// Days in the time zone of a process: from midnight to midnight, also where clocks are put forward and back.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const MODULE = join(import.meta.dirname, '../../../src/runtime/local-time.ts');

/** The zone is that of a whole process. */
function dayIn(zone: string, at: string): string {
  const source = `
    const { localDay } = await import(${JSON.stringify(MODULE)});
    const { name, fromMs, untilMs } = localDay(Date.parse(${JSON.stringify(at)}));
    process.stdout.write([name, ...[fromMs, untilMs].map((ms) => new Date(ms).toISOString().slice(0, 16))].join(' '));`;
  const args = ['--input-type=module', '--no-warnings', '-e', source];
  return execFileSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, TZ: zone } });
}

it.each([
  ['UTC', '2026-11-25T23:59:59.999Z', '2026-11-25 2026-11-25T00:00 2026-11-26T00:00'],
  ['Europe/Stockholm', '2026-11-25T23:00:00Z', '2026-11-26 2026-11-25T23:00 2026-11-26T23:00'],
  ['Europe/Stockholm', '2026-03-29T10:00:00Z', '2026-03-29 2026-03-28T23:00 2026-03-29T22:00'],
  ['Europe/Stockholm', '2026-10-25T10:00:00Z', '2026-10-25 2026-10-24T22:00 2026-10-25T23:00'],
])('a day in %s', (zone, at, day) => {
  expect(dayIn(zone, at)).toBe(day);
});
