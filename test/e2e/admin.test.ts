// The admin listener of the real daemon.
import { expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon } from '../support/daemon.ts';

it('says that each part of a running daemon answers', async () => {
  await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  const answer = await fetch(`${daemon.adminUrl}/readyz`);
  const places = [
    `SFTP on 127.0.0.1:${daemon.port}`,
    `the core on 127.0.0.1:${new URL(daemon.coreUrl).port}`,
    "the gateway's ledger",
    `the disk of ${daemon.data}`,
  ];
  expect(await answer.json()).toEqual({ status: 'ready', checks: places.map((check) => ({ check, reason: null })) });
  expect(answer.status).toBe(200);
  expect((await fetch(`${daemon.adminUrl}/livez`)).status).toBe(200);
});
