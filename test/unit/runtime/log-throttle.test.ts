// Lines that clients cause: some of each kind, then a count.
import { expect, it } from 'vitest';
import { openLog } from '#runtime/log.ts';
import { type Culprit, LogThrottle } from '#runtime/log-throttle.ts';
import { manualClock } from '../../support/clock.ts';

function open() {
  const clock = manualClock();
  const facts: Record<string, unknown>[] = [];
  const log = openLog('debug', { write: (line) => void facts.push(JSON.parse(line)) });
  const throttle = new LogThrottle(log, clock, { perSession: 3, perSource: 5 });
  const say = (event: string, culprit: Culprit | null, times: number): void => {
    for (let n = 0; n < times; n++) throttle.lines(log, () => culprit).warn({ event });
  };
  return { clock, throttle, say, told: () => facts.splice(0).map(({ time: _time, level: _level, ...fact }) => fact) };
}

const [ONE, TWO]: Culprit[] = ['1', '2'].map((session) => ({ session, by: { login: 'erp' } }));
const times = (count: number, event: string) => Array.from({ length: count }, () => ({ event }));

it('so many of a session, and of all sessions of its login, each minute; the rest is counted', () => {
  const { clock, say, told } = open();
  if (!ONE || !TWO) throw new Error('no culprits');
  say('a', ONE, 10);
  say('a', TWO, 10);
  say('b', TWO, 1);
  expect(told()).toEqual([...times(5, 'a'), { event: 'b' }]);
  clock.advance(60_000);
  expect(told()).toEqual([{ event: 'log.left-out', login: 'erp', of: 'a', lines: 15 }]);
  say('a', ONE, 4);
  expect(told()).toEqual(times(3, 'a'));
});

it('others are told as ever, and before a login it is the address that counts', () => {
  const { clock, say, told } = open();
  for (let n = 0; n < 10; n++) say('a', { session: `${n}`, by: { address: '192.0.2.1' } }, 1);
  say('a', { session: 'x', by: { address: '192.0.2.2' } }, 1);
  expect(told()).toEqual(times(6, 'a'));
  clock.advance(60_000);
  expect(told()).toEqual([{ event: 'log.left-out', address: '192.0.2.1', of: 'a', lines: 5 }]);
});

it('what is nobody’s is not counted, and what was left out is told at the end', () => {
  const { throttle, say, told } = open();
  say('document', null, 100);
  expect(told()).toHaveLength(100);
  say('a', { session: null, by: { address: '192.0.2.1' } }, 6);
  told();
  throttle[Symbol.dispose]();
  expect(told()).toEqual([{ event: 'log.left-out', address: '192.0.2.1', of: 'a', lines: 1 }]);
});
