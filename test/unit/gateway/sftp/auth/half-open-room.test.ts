// The fair rule of the room for half-open connections, and of the line before it: without a socket, a connection is an object with a name.
import { describe, expect, it } from 'vitest';
import { HalfOpenRoom, type RoomLimits } from '#gateway/sftp/auth/half-open-room.ts';

interface Guest {
  readonly name: string;
}

function open(limits: Partial<RoomLimits> = {}) {
  const room = new HalfOpenRoom<Guest>({ insideMax: 4, insidePerNetworkMax: 2, inLineMax: 3, inLinePerNetworkMax: 2, ...limits });
  const guests = new Map<string, Guest>();
  const guest = (name: string): Guest => guests.get(name) ?? guests.set(name, { name }).get(name) ?? { name };
  return {
    room,
    /** Of the network that its first letter names: where it is, and who gave way to it. */
    offer(name: string): string {
      const { is, instead } = room.offer(guest(name), name.slice(0, 1));
      return instead ? `${is} for ${instead.name}` : is;
    },
    step: (name: string): void => room.step(guest(name)),
    leave: (name: string): string | undefined => room.leave(guest(name))?.name,
  };
}

describe('a full room', () => {
  it('takes the place of the network that holds most', () => {
    const { offer } = open();
    for (const name of ['a1', 'b1', 'b2', 'c1']) expect(offer(name)).toBe('inside');
    expect(offer('d1')).toBe('inside for b1');
  });

  it('among equals takes the place of the one whose last step is longest ago, however long it is here', () => {
    const { offer, step } = open();
    for (const name of ['a1', 'b1', 'c1', 'd1']) offer(name);
    step('a1');
    step('b1');
    expect([offer('e1'), offer('f1'), offer('g1')]).toEqual(['inside for c1', 'inside for d1', 'inside for a1']);
  });

  it('takes from networks that logged in lately only when there are no others', () => {
    const { room, offer } = open();
    room.welcome('b');
    for (const name of ['b1', 'b2', 'a1', 'c1']) offer(name);
    expect([offer('d1'), offer('e1')]).toEqual(['inside for a1', 'inside for c1']);
    for (const network of ['d', 'e']) room.welcome(network);
    expect(offer('f1')).toBe('inside for b1');
  });

  it('lets a network push out none of its own: it waits', () => {
    const { offer, leave } = open();
    for (const name of ['a1', 'b1', 'c1', 'd1']) offer(name);
    expect(offer('a2')).toBe('in-line');
    expect(leave('c1')).toBe('a2');
  });
});

describe('the line', () => {
  it('takes what a network has beyond its share, then turns it away', () => {
    const { offer } = open();
    expect(['a1', 'a2', 'a3', 'a4', 'a5'].map(offer)).toEqual(['inside', 'inside', 'in-line', 'in-line', 'turned-away']);
    expect(offer('b1')).toBe('inside');
  });

  it('moves up in its order as places of the network become free, and nobody overtakes it', () => {
    const { offer, leave } = open();
    for (const name of ['a1', 'a2', 'a3', 'b1']) offer(name);
    expect(leave('b1')).toBeUndefined();
    expect(leave('a1')).toBe('a3');
    expect(leave('a1')).toBeUndefined();
    offer('a4');
    offer('a5');
    expect([leave('a2'), leave('a4'), leave('a5'), leave('a3')]).toEqual(['a4', 'a5', undefined, undefined]);
  });

  it('lets the network go first that has the fewest inside', () => {
    const { offer, leave } = open({ insideMax: 6, insidePerNetworkMax: 3 });
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'b4', 'a4']) offer(name);
    expect(['c1', 'd1', 'e1'].map(offer)).toEqual(['inside for a1', 'inside for b1', 'inside for a2']);
    expect([leave('c1'), leave('d1')]).toEqual(['a4', 'b4']);
  });

  it('is shared by the same rule: a full one takes from the network that has most in it', () => {
    const { offer } = open({ insideMax: 6 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'c2', 'b3']) offer(name);
    expect([offer('c3'), offer('a5'), offer('c4')]).toEqual(['in-line for a3', 'turned-away', 'turned-away']);
  });

  it('forgets who waits no longer', () => {
    const { offer, leave } = open();
    for (const name of ['a1', 'a2', 'a3']) offer(name);
    expect([leave('a3'), leave('a1'), offer('a4')]).toEqual([undefined, undefined, 'inside']);
  });
});
