import { describe, expect, it } from 'vitest';
import { openThrottle } from '#gateway/sftp/throttle.ts';

const limits = { unauthenticatedMax: 3, unauthenticatedPerAddressMax: 2, sessionsPerLoginMax: 1 };

describe('the throttle', () => {
  it('has places per address and in all, and takes them back once', () => {
    const throttle = openThrottle(limits);
    const first = throttle.arrive('a');
    expect(throttle.arrive('a')).toBeDefined();
    expect(throttle.arrive('a')).toBeUndefined();
    expect(throttle.arrive('b')).toBeDefined();
    expect(throttle.arrive('c')).toBeUndefined();
    first?.[Symbol.dispose]();
    first?.[Symbol.dispose]();
    expect(throttle.arrive('c')).toBeDefined();
    expect(throttle.arrive('d')).toBeUndefined();
  });

  it('has places per login', () => {
    const throttle = openThrottle(limits);
    const place = throttle.enter('erp');
    expect(throttle.enter('erp')).toBeUndefined();
    expect(throttle.enter('other')).toBeDefined();
    place?.[Symbol.dispose]();
    expect(throttle.enter('erp')).toBeDefined();
  });
});
