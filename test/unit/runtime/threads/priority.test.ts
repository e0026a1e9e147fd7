// In a program of its own: a thread that has given way does not get its priority back.
import { spawnSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { needed } from '../../../support/needed.ts';

const MODULE = new URL('../../../../src/runtime/threads/priority.ts', import.meta.url).href;

const USUAL = String(getPriority());
const NICER = String(Math.min(getPriority() + 5, 19));

/** Runs `act` so many times, and tells the niceness of each thread, by its name. */
function nicenessAfter(act: 'giveWay' | 'letHelpersGiveWay', times: number): Map<string, string[]> {
  const program = `
    import { readdirSync, readFileSync } from 'node:fs';
    const priority = await import('${MODULE}');
    for (let time = 0; time < ${times}; time++) priority.${act}();
    for (const thread of readdirSync('/proc/self/task')) {
      const [, name, fields] = /^\\d+ \\((.*)\\) (.*)$/s.exec(readFileSync('/proc/self/task/' + thread + '/stat', 'utf8'));
      console.log(name, fields.split(' ')[16]);
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const threads = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  return new Map(
    Object.entries(Object.groupBy(threads, ([name = '']) => name)).map(([name, all = []]) => [name, all.map(([, nice = '']) => nice)]),
  );
}

const isLinux = needed('Linux', process.platform === 'linux', 'it is where threads have a niceness of their own');

it.skipIf(!isLinux)("V8's helpers give way once, however many daemons a program starts, and nobody else", () => {
  const { V8Worker: helpers, ...others } = Object.fromEntries(nicenessAfter('letHelpersGiveWay', 3));
  expect(new Set(helpers)).toEqual(new Set([NICER]));
  expect(new Set(Object.values(others).flat())).toEqual(new Set([USUAL]));
});

// Of a program that gives way to all others already no thread can give way any more.
it.skipIf(!isLinux || USUAL === NICER)('a thread gives way, and nobody else', () => {
  const niceness = [...nicenessAfter('giveWay', 1).values()].flat();
  expect(niceness.filter((each) => each === NICER)).toHaveLength(1);
  expect(new Set(niceness)).toEqual(new Set([USUAL, NICER]));
});
