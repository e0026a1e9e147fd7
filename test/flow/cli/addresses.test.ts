// Peppol addresses that are given to accounts: numbers that cannot be right are told, and what is still missing is.
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testSite } from '../../support/site.ts';

const { at, run } = testSite();
const WRONG = '0007:5567321708';
const SWEDISH = `The address ${WRONG} looks wrong: it is not a Swedish organisation number: 10 digits, the last one a check digit.`;

describe('a number whose check digit is wrong is told', () => {
  it('by account add', async () => {
    const { status, out, err } = await run(`account add 1 --name One --participant ${WRONG}`);
    expect({ status, err }).toEqual({ status: 0, err: expect.stringContaining(SWEDISH) });
    expect(out).not.toContain('no address');
  });

  it('by account add-participant', async () => {
    await run('account add 1 --name One');
    expect(await run(`account add-participant 1 ${WRONG}`)).toMatchObject({ status: 0, err: expect.stringContaining(SWEDISH) });
  });

  it('by apply', async () => {
    writeFileSync(at('declared.yaml'), `accounts: [{accountRegNo: "1", name: One, participants: ["${WRONG}"]}]`);
    expect(await run(`apply ${at('declared.yaml')}`)).toMatchObject({ status: 0, err: expect.stringContaining(SWEDISH) });
  });
});

it.each([
  ['0208:0403170701', null],
  ['0007:5567321707', null],
  ['0210:abcdef', 'it is not an Italian tax code (codice fiscale)'],
  ['1234:5567321707', '1234 is no electronic address scheme (EAS)'],
  // A scheme of which no form is known.
  ['0060:x', null],
])('%s: %s', async (participant, doubt) => {
  const { status, err } = await run(`account add 1 --name One --participant ${participant}`);
  expect({ status, err }).toEqual({ status: 0, err: doubt === null ? '' : expect.stringContaining(doubt) });
});

it('one that is refused is not told to be corrected', async () => {
  const { status, err } = await run('account add 1 --name One --participant 0088:7300010000106');
  expect(status).toBe(64);
  expect(err).toContain('its check digit is wrong');
  expect(err).not.toContain('remove-participant');
});

describe('what is missing next is said', () => {
  it('of an account without an address', async () => {
    expect((await run('account add 1 --name One')).out).toContain(
      "It has no address yet, so it can neither send nor receive: 'dropgate account add-participant 1 SCHEME:VALUE' gives it one.",
    );
  });

  it('of a login without an account', async () => {
    await run('account add 1 --name One');
    expect((await run('login add firm')).out).toContain("It sees no account yet: 'dropgate login add-home firm ACCOUNT' shows it one.");
    expect((await run('login add other --account 1')).out).not.toContain('It sees no account');
  });
});
