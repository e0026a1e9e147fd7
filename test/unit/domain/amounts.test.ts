// Times and sizes in words.
import { describe, expect, it } from 'vitest';
import { durationText, sizeText } from '#domain/amounts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a duration as text', () => {
  it.each([
    [45_000, '45 seconds'],
    [MINUTE, '1 minute'],
    [20 * MINUTE, '20 minutes'],
    [90 * MINUTE, '90 minutes'],
    [HOUR, '1 hour'],
    [DAY, '24 hours'],
    [36 * HOUR, '36 hours'],
    [30 * DAY, '30 days'],
    [MINUTE + 1_000, '61 seconds'],
  ])('%i ms are %s', (ms, text) => expect(durationText(ms)).toBe(text));
});

describe('a size as text', () => {
  it.each([
    [20 * 2 ** 20, '20 MiB'],
    [1536, '1536 bytes'],
    [512 * 2 ** 10, '512 KiB'],
    [0, '0 bytes'],
  ])('%i is %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
});
