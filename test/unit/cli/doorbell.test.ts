// What a core has rung: the first ring at once, and what comes soon after it together.
import { expect, it } from 'vitest';
import { Doorbell } from '#cli/doorbell.ts';
import { manualClock } from '../../support/clock.ts';

function open() {
  const clock = manualClock();
  const rung: string[] = [];
  const bell = {
    ring: () => undefined,
    ringFor: (account: string, topic: string, id: string) => void rung.push([account, topic, id].join(' | ')),
    forget: async () => undefined,
    close: async () => undefined,
  };
  return { clock, rung, doorbell: new Doorbell(bell, () => undefined, clock) };
}

it('rings at once, once more for all that comes within half a second, and at once again after a rest', () => {
  const { clock, rung, doorbell } = open();
  for (let at = 0; at < 100; at++) doorbell.incoming('buyer', 'Invoice', `${at}`);
  expect(rung).toEqual(['buyer | incoming | buyer Invoice']);
  clock.advance(499);
  doorbell.incoming('buyer', 'Invoice', 'late');
  expect(rung).toHaveLength(1);
  clock.advance(1);
  expect(rung).toHaveLength(2);
  doorbell.incoming('buyer', 'Invoice', 'later');
  clock.advance(499);
  expect(rung).toHaveLength(2);
  clock.advance(1);
  expect(rung).toHaveLength(3);
  clock.advance(10_000);
  expect(rung).toHaveLength(3);
  doorbell.incoming('buyer', 'Invoice', 'after a rest');
  expect(rung).toHaveLength(4);
});

it('what is rung for one feed keeps no other waiting, nor what else has changed', () => {
  const { rung, doorbell } = open();
  doorbell.incoming('buyer', 'Invoice', '1');
  doorbell.incoming('buyer', 'Order', '2');
  doorbell.incoming('other', 'Invoice', '3');
  doorbell.changed('buyer', 'Invoice');
  doorbell.turnedAway('buyer');
  expect(rung).toEqual([
    'buyer | incoming | buyer Invoice',
    'buyer | incoming | buyer Order',
    'other | incoming | other Invoice',
    'buyer | status | buyer Invoice',
    'buyer | turned-away | buyer',
  ]);
});

it('a core that ends rings for what waited', () => {
  const { clock, rung, doorbell } = open();
  for (const id of ['1', '2']) doorbell.incoming('buyer', 'Invoice', id);
  doorbell[Symbol.dispose]();
  expect(rung).toHaveLength(2);
  clock.advance(10_000);
  expect(rung).toHaveLength(2);
});
