// How values stand on a terminal, and for programs.
import { describe, expect, it } from 'vitest';
import { type Cell, plainCell, shownCell, tableLines } from '#cli/cells.ts';
import { age, localTime } from '#runtime/local-time.ts';

const NOW = Date.parse('2026-11-24T14:00:00Z');
const PLAIN = { isColoured: false, nowMs: NOW };
const COLOURED = { isColoured: true, nowMs: NOW };

describe('a cell', () => {
  it.each<[Cell, string]>([
    [null, ''],
    [7, '7'],
    [{ at: '2026-11-24T13:00:00.000Z' }, '2026-11-24T13:00:00.000Z'],
    [{ at: null }, ''],
    [{ state: 'held' }, 'held'],
    [['a', { at: '2026-11-24T13:00:00.000Z' }], 'a 2026-11-24T13:00:00.000Z'],
    ['F-1\nF-2\taccepted', 'F-1\\u000aF-2\\u0009accepted'],
    [{ state: '\u009b2J' }, '\\u009b2J'],
  ])('%j is %s for a program', (cell, text) => {
    expect(plainCell(cell)).toBe(text);
  });

  it('tells people local time with its zone, and how long ago', () => {
    const iso = '2026-11-24T13:00:00.000Z';
    expect(shownCell({ at: iso }, PLAIN)).toBe(`${localTime(iso)} (1 h ago)`);
    expect(Date.parse(localTime(iso).replace(' ', 'T').replace(' ', ''))).toBe(Date.parse(iso));
  });

  it('tells programs what it is, and people, who read that in the head, the value alone', () => {
    const cell = { people: { at: null }, programs: ['since', '-'] } as const;
    expect([plainCell(cell), shownCell(cell, PLAIN)]).toEqual(['since -', '']);
    const rows = [[{ people: 12, programs: '12 wait' }], [{ people: 3, programs: '3 wait' }]] as const;
    expect(tableLines(['waiting'], rows, PLAIN)).toEqual(['WAITING', '12', '3']);
  });

  it('has the colour of its last state, and no sequence of others', () => {
    expect(shownCell({ state: 'accepted, rejected' }, COLOURED)).toBe('\x1b[31maccepted, rejected\x1b[0m');
    expect(shownCell({ state: 'accepted, rejected' }, PLAIN)).toBe('accepted, rejected');
    expect(shownCell('\x1b[2Jevil', COLOURED)).toBe('\\u001b[2Jevil');
  });
});

it.each([
  ['2026-11-24T14:00:00Z', 'now'],
  ['2026-11-24T13:59:18Z', '42 s ago'],
  ['2026-11-24T13:01:00Z', '59 min ago'],
  ['2026-11-21T13:00:00Z', '3 d ago'],
  ['2026-11-24T14:05:00Z', 'in 5 min'],
])('%s is %s', (iso, text) => {
  expect(age(iso, NOW)).toBe(text);
});

it('columns stand below their heads, colours aside', () => {
  const rows = [['a', { state: 'held' }, 'x'] as const, ['bcdef', { state: 'accepted' }, ''] as const];
  expect(tableLines(['id', 'state', 'file'], rows, PLAIN)).toEqual(['ID     STATE     FILE', 'a      held      x', 'bcdef  accepted']);
  const [, first = ''] = tableLines(['id', 'state', 'file'], rows, COLOURED);
  expect(first).toBe('a      \x1b[31mheld\x1b[0m      x');
});
