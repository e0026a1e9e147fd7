// Bearer tokens for deliveries: fetched once for those who come together, kept until they end, and only so many of them.
import { expect, it } from 'vitest';
import { type Client, openBearers } from '#core/webhooks/oauth.ts';
import { manualClock } from '../../../support/clock.ts';

function start(tokenLength = 20, expiresIn = 3_600) {
  const clock = manualClock();
  const asked: string[] = [];
  let status = 200;
  const bearers = openBearers(
    {
      async request({ url }) {
        asked.push(url);
        const text = `${asked.length}`.padEnd(tokenLength, 'x');
        const body = Buffer.from(JSON.stringify({ access_token: text, token_type: 'Bearer', expires_in: expiresIn }));
        return { status, headers: new Map(), body, cut: false };
      },
    },
    clock,
  );
  const tokenOf = (client: Omit<Client, 'type'>, rejected: string | null = null) =>
    bearers.token({ type: 'oauth', ...client }, rejected, new AbortController().signal);
  const token = (client: number, rejected: string | null = null) =>
    tokenOf({ tokenUrl: `https://tokens.example/${client}`, clientId: 'id', clientSecret: 'secret' }, rejected);
  return { clock, asked, token, tokenOf, answer: (next: number) => (status = next) };
}

it('is fetched once for all who want it at the same moment, and again a minute before its end', async () => {
  const { clock, asked, token } = start();
  const [first, second] = await Promise.all([token(1), token(1)]);
  expect(first).toBe(second);
  clock.advance(58 * 60_000);
  expect(await token(1)).toBe(first);
  clock.advance(60_000);
  expect(await token(1)).not.toBe(first);
  expect(asked).toHaveLength(2);
});

it('is fetched anew when the receiver has rejected it, once', async () => {
  const { asked, token } = start();
  const first = await token(1);
  const [second, third] = await Promise.all([token(1, first), token(1, first)]);
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  expect(await token(1, first)).toBe(second);
  expect(asked).toHaveLength(2);
});

it.each([
  ['token server', { tokenUrl: 'https://other.example/' }],
  ['name', { clientId: 'other' }],
  ['secret', { clientSecret: 'wrong' }],
])('is never handed to a client with another %s: whoever has the wrong one must be refused', async (_, change) => {
  const { asked, tokenOf, answer } = start();
  const client = { tokenUrl: 'https://tokens.example/', clientId: 'id', clientSecret: 'secret' };
  await tokenOf(client);
  answer(401);
  await expect(tokenOf({ ...client, ...change })).rejects.toThrow('answered 401');
  expect(await tokenOf(client)).toMatch(/^1x/);
  expect(asked).toHaveLength(3);
});

it('that cannot be had is asked for again by the next one', async () => {
  const { asked, token, answer } = start();
  answer(500);
  await expect(token(1)).rejects.toThrow('answered 500');
  answer(200);
  await token(1);
  expect(asked).toHaveLength(2);
});

it('of many clients with long tokens only the last used are kept', async () => {
  const { asked, token } = start(16_000);
  for (let client = 1; client <= 1_200; client++) await token(client);
  const { length } = asked;
  await token(1_200);
  await token(300);
  expect(asked).toHaveLength(length);
  // 16 MiB hold about a thousand of them.
  await token(1);
  expect(asked).toHaveLength(length + 1);
});
