// Of requests and answers 30 % are lost, on all ways and at all times: no document is lost, and none comes twice. DROPGATE_LOST_ANSWERS is how
// many documents are sent for each of two seeds (100), or, where it is more, of five (the whole: 1,000).

import { afterAll, describe, expect, it } from 'vitest';
import type { startGateway } from '#gateway/gateway.ts';
import { amountOf } from '../../../support/amounts.ts';
import { invoice } from '../../../support/documents.ts';
import { randomOf } from '../../../support/random.ts';
import type { Seen } from '../../../support/scripted-service.ts';
import { defectiveGateway } from '../../../support/stand-in/defective.ts';
import { FAULTS, type Fault } from '../../../support/stand-in/manners.ts';
import { standIn } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const DOCUMENTS = amountOf('DROPGATE_LOST_ANSWERS');
const SEEDS = DOCUMENTS <= 100 ? [1, 2] : [1, 2, 3, 4, 5];
const HOUR = 3_600_000;

/** Half of what is lost never reaches the service; of the other half the work is done. */
const LOSSES: readonly Fault[] = [
  FAULTS.lostAnswer,
  FAULTS.badGatewayAfter,
  FAULTS.unreadableAnswer,
  FAULTS.lostRequest,
  FAULTS.down,
  FAULTS.internalError,
];

interface Run {
  readonly documents: number;
  readonly seed: number;
  readonly start?: typeof startGateway;
  /** A service without the rule that refuses a second document of one id: the key alone protects. */
  readonly keysOnly?: boolean;
}

interface Result {
  readonly lost: number;
  readonly twice: number;
  readonly requests: number;
  readonly minutes: number;
  /** Items by state. */
  readonly accepted: number;
}

async function run({ documents, seed, start, keysOnly = false }: Run): Promise<Result> {
  const draw = randomOf(seed);
  const world = await startWorld(standIn(), { ...(start && { start }) });
  const { service } = world;
  service.manners.refusesDuplicates = !keysOnly;
  service.manners.fault = ({ path }: Seen) => {
    if (!path.includes('/outgoing') || draw(1, 100) > 30) return undefined;
    return LOSSES[draw(0, LOSSES.length - 1)];
  };
  const ids = Array.from({ length: documents }, (_, index) => `L-${seed}-${index}`);
  for (const [index, id] of ids.entries()) await world.drop('acme-ab', `${id}.xml`, invoice({ id, receiver: receiverOf(index) }));
  const ms = await world.passUntilDone(24 * HOUR, 5_000);
  const { lost, twice } = service.tally('acme-ab', ids);
  return {
    lost: lost.length,
    twice: twice.length,
    requests: service.requests.length,
    minutes: ms / 60_000,
    accepted: await world.count('accepted'),
  };
}

/** Several receivers, so that not all wait for one. */
const receiverOf = (index: number): string => `0088:735000000${String(index % 20).padStart(4, '0')}`;

const figures: string[] = [];
afterAll(() => console.log(figures.join('\n')));

it.each(SEEDS)('seed %d: nothing lost, nothing twice', async (seed) => {
  const result = await run({ documents: DOCUMENTS, seed });
  const { requests, minutes } = result;
  figures.push(
    `lost answers 30 %: seed ${seed}, ${DOCUMENTS} documents, ${result.lost} lost, ${result.twice} twice, ${requests} requests, ${minutes.toFixed(0)} minutes of its clock`,
  );
  expect(result).toMatchObject({ lost: 0, twice: 0, accepted: DOCUMENTS });
});

describe('the defect is found', () => {
  it('a random key for each attempt: documents come twice', async () => {
    const start = await defectiveGateway({
      file: 'submit/idempotency-key.ts',
      from: 'const parts = [environment, item.accountRegNo,',
      to: 'const parts = [String(Math.random()), environment, item.accountRegNo,',
    });
    expect((await run({ documents: 60, seed: 1, start, keysOnly: true })).twice).toBeGreaterThan(0);
    expect((await run({ documents: 60, seed: 1, keysOnly: true })).twice).toBe(0);
  });

  it('an unknown outcome taken for a refusal: documents are told to be refused', async () => {
    const start = await defectiveGateway({
      file: 'submit/response.ts',
      from: 'if (answer.status >= 500 && answer.status !== 501) return unknown(',
      to: "if (answer.status >= 500 && answer.status !== 501) return { kind: 'refused', error: { status: 500, type: 'E', data: '', metadata: {} } }; if (false) return unknown(",
    });
    expect((await run({ documents: 60, seed: 1, start })).accepted).toBeLessThan(60);
  });
});
