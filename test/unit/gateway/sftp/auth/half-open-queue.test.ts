// How networks share the slots for half-open connections, and the queue for them: a connection is an object with a name here.
import { describe, expect, it } from 'vitest';
import { type HalfOpenLimits, HalfOpenQueue } from '#gateway/sftp/auth/half-open-queue.ts';

interface Connection {
  readonly name: string;
}

function open(limits: Partial<HalfOpenLimits> = {}) {
  const queue = new HalfOpenQueue<Connection>(() => ({
    openMax: 4,
    openPerNetworkMax: 2,
    queuedMax: 3,
    queuedPerNetworkMax: 2,
    ...limits,
  }));
  const connections = new Map<string, Connection>();
  const connection = (name: string): Connection => connections.get(name) ?? connections.set(name, { name }).get(name) ?? { name };
  return {
    queue,
    /** The first letter names the network. Returns where the connection is, and which one it evicted. */
    add(name: string): string {
      const { is, evicts } = queue.add(connection(name), name.slice(0, 1));
      return evicts ? `${is} for ${evicts.name}` : is;
    },
    progress: (name: string): void => queue.progressed(connection(name)),
    remove: (name: string): string | undefined => queue.remove(connection(name))?.name,
  };
}

describe('full slots', () => {
  it('are taken from the network that has most of them', () => {
    const { add } = open();
    for (const name of ['a1', 'b1', 'b2', 'c1']) expect(add(name)).toBe('open');
    expect(add('d1')).toBe('open for b1');
  });

  it('are taken, among equals, from the connection whose last progress is longest ago', () => {
    const { add, progress } = open();
    for (const name of ['a1', 'b1', 'c1', 'd1']) add(name);
    progress('a1');
    progress('b1');
    expect([add('e1'), add('f1'), add('g1')]).toEqual(['open for c1', 'open for d1', 'open for a1']);
  });

  it('are taken from networks that logged in lately only when there are no others', () => {
    const { queue, add } = open();
    queue.loggedIn('b');
    for (const name of ['b1', 'b2', 'a1', 'c1']) add(name);
    expect([add('d1'), add('e1')]).toEqual(['open for a1', 'open for c1']);
    for (const network of ['d', 'e']) queue.loggedIn(network);
    expect(add('f1')).toBe('open for b1');
  });

  it('are not taken from the own network: the connection is queued', () => {
    const { add, remove } = open();
    for (const name of ['a1', 'b1', 'c1', 'd1']) add(name);
    expect(add('a2')).toBe('queued');
    expect(remove('c1')).toBe('a2');
  });
});

describe('the queue', () => {
  it('takes what a network has beyond its share, then refuses', () => {
    const { add } = open();
    expect(['a1', 'a2', 'a3', 'a4', 'a5'].map(add)).toEqual(['open', 'open', 'queued', 'queued', 'refused']);
    expect(add('b1')).toBe('open');
  });

  it('moves up in its order as slots of the network become free, without overtaking', () => {
    const { add, remove } = open();
    for (const name of ['a1', 'a2', 'a3', 'b1']) add(name);
    expect(remove('b1')).toBeUndefined();
    expect(remove('a1')).toBe('a3');
    expect(remove('a1')).toBeUndefined();
    add('a4');
    add('a5');
    expect([remove('a2'), remove('a4'), remove('a5'), remove('a3')]).toEqual(['a4', 'a5', undefined, undefined]);
  });

  it('serves the network first that has the fewest slots', () => {
    const { add, remove } = open({ openMax: 6, openPerNetworkMax: 3 });
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'b4', 'a4']) add(name);
    expect(['c1', 'd1', 'e1'].map(add)).toEqual(['open for a1', 'open for b1', 'open for a2']);
    expect([remove('c1'), remove('d1')]).toEqual(['a4', 'b4']);
  });

  it('is shared by the same rule: when full it evicts from the network that has most in it', () => {
    const { add } = open({ openMax: 6 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'c2', 'b3']) add(name);
    expect([add('c3'), add('a5'), add('c4')]).toEqual(['queued for a3', 'refused', 'refused']);
  });

  it('forgets connections that have ended', () => {
    const { add, remove } = open();
    for (const name of ['a1', 'a2', 'a3']) add(name);
    expect([remove('a3'), remove('a1'), add('a4')]).toEqual([undefined, undefined, 'open']);
  });
});
