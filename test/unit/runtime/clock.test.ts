// The system's randomness: nothing is handed out twice, whatever the sizes, and what was handed out is the caller's own.
import { expect, it } from 'vitest';
import { every, systemRandom, untilBeat } from '#runtime/clock.ts';
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

it('a period that has changed counts from the next turn on', async () => {
  const clock = manualClock(0);
  const turns: number[] = [];
  let periodMs = 5_000;
  using _timer = every(
    clock,
    () => periodMs,
    () => turns.push(clock.now()),
    (error) => expect.unreachable(String(error)),
  );
  for (let ms = 0; ms < 12_000; ms += 1_000) {
    clock.advance(1_000);
    if (ms === 2_000) periodMs = 3_000;
    await new Promise((planned) => setImmediate(planned));
  }
  expect(turns).toEqual([5_000, 8_000, 11_000]);
});

it('by a clock with beats what is done every second, and every two, is done at whole ones, together, whenever it began', async () => {
  const clock = { ...manualClock(Date.parse('2026-11-21T10:00:00.310Z')), beatMs: 1_000 };
  const seconds = (): number => (clock.now() % 60_000) / 1_000;
  const failed = (error: unknown): void => expect.unreachable(String(error));
  const ones: number[] = [];
  const twos: number[] = [];
  using _ones = every(clock, 1_000, () => ones.push(seconds()), failed);
  clock.advance(400);
  using _twos = every(clock, 2_000, () => twos.push(seconds()), failed);
  for (let step = 0; step < 65; step++) {
    clock.advance(100);
    await new Promise((planned) => setImmediate(planned));
  }
  expect(ones).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(twos).toEqual([3, 5, 7]);
});

it('a period is as long as it says, to the nearest beat where it lasts for one or more', () => {
  const at = (now: number, beatMs?: number) => ({ now: () => now, ...(beatMs !== undefined && { beatMs }) });
  expect([10_000, 10_001, 10_999].map((now) => untilBeat(at(now, 1_000), 1_000))).toEqual([1_000, 999, 1_001]);
  expect([untilBeat(at(10_300, 1_000), 60_000), untilBeat(at(10_300, 1_000), 400), untilBeat(at(10_300), 60_000)]).toEqual([
    59_700, 400, 60_000,
  ]);
});
