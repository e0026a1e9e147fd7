// Both ends of an exchange between threads: an answer is whole or none, and who closes waits for what is under way.
import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { type Answerer, type Answering, type AnswerPart, answerPortHttp, openPortHttp, type PortHttp } from '#runtime/threads/port-http.ts';
import { until } from '../../../support/until.ts';

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function exchangeWith(answer: Answerer): { exchange: PortHttp; answering: Answering; port: MessageChannel['port2'] } {
  const { port1, port2 } = new MessageChannel();
  const answering = answerPortHttp(port2, answer);
  const exchange = openPortHttp(port1);
  ends.push(() => exchange.close());
  return { exchange, answering, port: port2 };
}

const REQUEST = { method: 'GET', path: '/', headers: {}, body: null };
const HEAD = { status: 200, headers: {} };
const UNHEARD = { taken: () => undefined, cut: () => undefined };

const ask = (exchange: PortHttp, take: (piece: Buffer) => void = () => undefined, timeoutMs = 10_000): Promise<unknown> =>
  exchange
    .ask(REQUEST, () => take, timeoutMs)
    .then(
      ({ status }) => status,
      (error: unknown) => error,
    );

const part = (piece: string, state: AnswerPart['state'], head: AnswerPart['head'] = null): AnswerPart => ({
  head,
  piece: Buffer.from(piece),
  state,
});

it('an answer comes in pieces, each of which is told to have been taken', async () => {
  const taken: number[] = [];
  const { exchange } = exchangeWith((_request, tell) => {
    tell(part('one', 'more', HEAD));
    return {
      ...UNHEARD,
      taken(bytes) {
        taken.push(bytes);
        tell(part('three', 'end'));
      },
    };
  });
  const pieces: string[] = [];
  expect(await ask(exchange, (piece) => pieces.push(piece.toString()))).toBe(200);
  expect([pieces, taken]).toEqual([['one', 'three'], [3]]);
});

it('only the bytes of a body go over, not the memory that it shares', async () => {
  const memory = new Uint8Array(1_000_000);
  let got: Uint8Array | null = null;
  const { exchange } = exchangeWith(({ body }, tell) => {
    got = body;
    tell(part('', 'end', HEAD));
    return UNHEARD;
  });
  await exchange.ask({ ...REQUEST, body: memory.subarray(10, 20) }, () => () => undefined, 10_000);
  expect(got).toMatchObject({ byteLength: 10, buffer: { byteLength: 10 } });
});

it('what does not end in time, is lost, or is not taken is no answer; the other end hears that nobody waits', async () => {
  let cuts = 0;
  const script: AnswerPart[][] = [[part('half', 'more', HEAD)], [part('half', 'more', HEAD), part('', 'lost')], [part('all', 'end', HEAD)]];
  const { exchange } = exchangeWith((_request, tell) => {
    for (const each of script.shift() ?? []) tell(each);
    return { ...UNHEARD, cut: () => cuts++ };
  });
  const refuse = (): never => {
    throw new RangeError('too much');
  };
  expect(await ask(exchange, undefined, 20)).toMatchObject({ message: 'no whole answer came in time' });
  expect(await ask(exchange)).toMatchObject({ message: 'the answer was cut off' });
  expect(await ask(exchange, refuse)).toBeInstanceOf(RangeError);
  await until('the cut of the first', () => cuts > 0);
});

it('more than 64 requests wait for one of them to end', async () => {
  const tells: (() => void)[] = [];
  const { exchange } = exchangeWith((_request, tell) => {
    tells.push(() => tell(part('', 'end', HEAD)));
    return UNHEARD;
  });
  const asked = Array.from({ length: 70 }, () => ask(exchange));
  await until('as many as may', () => tells.length === 64);
  await new Promise((turn) => setImmediate(turn));
  expect(tells).toHaveLength(64);
  for (let answered = 0; answered < 70; answered++) (await until('a request', () => tells.shift()))();
  expect(await Promise.all(asked)).toEqual(Array(70).fill(200));
});

it('closing waits for what is under way, and loses what comes later', async () => {
  const begun = Promise.withResolvers<() => void>();
  const { exchange, answering } = exchangeWith((_request, tell) => {
    begun.resolve(() => tell(part('', 'end', HEAD)));
    return UNHEARD;
  });
  const first = ask(exchange);
  const end = await begun.promise;
  const closed = answering.close();
  const late = ask(exchange);
  await new Promise((turn) => setTimeout(turn, 5));
  end();
  await closed;
  expect(await first).toBe(200);
  expect(await late).toBeInstanceOf(Error);
});

it('an end that is gone answers nothing', async () => {
  const { exchange, port } = exchangeWith(() => UNHEARD);
  const waiting = ask(exchange);
  await new Promise((turn) => setImmediate(turn));
  port.close();
  await once(port, 'close');
  expect(await waiting).toMatchObject({ message: 'the other end is gone' });
  expect(await ask(exchange)).toMatchObject({ message: 'the other end is gone' });
});
