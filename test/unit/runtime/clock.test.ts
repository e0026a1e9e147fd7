// The system's randomness: nothing is handed out twice, whatever the sizes, and what was handed out is the caller's own.
import { expect, it } from 'vitest';
import { every, systemRandom } from '#runtime/clock.ts';
import { manualClock } from '../../support/clock.ts';
import { until } from '../../support/until.ts';

const DRAWS = 2_000;

it('no two draws share bytes, at whatever sizes they are made', () => {
  const seen = new Set<string>();
  let pieces = 0;
  let zeros = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    const bytes = systemRandom(8 + (draw % 60));
    expect(bytes).toHaveLength(8 + (draw % 60));
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      seen.add(Buffer.from(bytes.subarray(at, at + 8)).toString('hex'));
      pieces++;
    }
    // What has been handed out is wiped: an overlap would show as zeros.
    if (bytes.subarray(0, 4).every((byte) => byte === 0)) zeros++;
  }
  expect(seen.size).toBe(pieces);
  expect(zeros).toBe(0);
});

it('a draw stays as it is when its neighbour is changed, and large ones and empty ones have their size', () => {
  const one = systemRandom(16);
  const before = Buffer.from(one);
  systemRandom(16).fill(0);
  expect(before.equals(one)).toBe(true);
  expect(one.buffer.byteLength).toBe(16);
  expect(systemRandom(0)).toHaveLength(0);
  expect(systemRandom(100_000)).toHaveLength(100_000);
});

it('what is done every second tells of a failure once, until it has gone well or fails otherwise', async () => {
  const clock = manualClock();
  const outcomes = ['away', 'away', 'away', 'full', null, 'full'];
  const told: string[] = [];
  let turns = 0;
  const call = (): void => {
    const sentence = outcomes[turns++];
    if (sentence) throw new Error(sentence);
  };
  using _timer = every(clock, 1_000, call, (error) => told.push(String(error)));
  for (const [turn] of outcomes.entries()) {
    clock.advance(1_000);
    await until('the next turn to be planned', () => turns === turn + 1);
    await Promise.resolve();
  }
  expect(told).toEqual(['Error: away', 'Error: full', 'Error: full']);
});
