import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { newSigningSecret, signedHeaders } from '#runtime/outbound/signature.ts';

const [ID, AT, BODY] = ['msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330_999, '{"test": 2432232314}'];
const UNSIGNED = { 'webhook-id': ID, 'webhook-timestamp': '1614265330' };

it('signs the example of Standard Webhooks as its libraries do', () => {
  expect(signedHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', ID, AT, BODY)).toEqual({
    ...UNSIGNED,
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('takes a secret without the prefix as it is', () => {
  const mac = createHmac('sha256', 'plain words').update(`${ID}.1614265330.${BODY}`).digest('base64');
  expect(signedHeaders('plain words', ID, AT, BODY)['webhook-signature']).toBe(`v1,${mac}`);
});

it('signs nothing without a secret', () => {
  expect(signedHeaders(null, ID, AT, BODY)).toEqual(UNSIGNED);
});

it('makes secrets of 32 random bytes', () => {
  expect(newSigningSecret((count) => new Uint8Array(count))).toBe(`whsec_${'A'.repeat(43)}=`);
});
