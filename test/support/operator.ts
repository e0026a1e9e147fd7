// An operator's command on the data folder of a gateway in this process, as another process would run it.
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { type Operator, openOperator } from '#gateway/operate/operator.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import type { TestGateway } from './gateway.ts';

/** Opens ledger and homes, does the work, and closes them. */
export async function operate<Result>(
  { data, clock }: Pick<TestGateway, 'data' | 'clock'>,
  work: (on: Operator) => Promise<Result>,
): Promise<Result> {
  const ledger = await openGatewayLedger(data);
  try {
    await using operator = await openOperator({ data, ledger, clock, random: systemRandom, log: openLog('silent'), receipts: 'json' });
    return await work(operator);
  } finally {
    await ledger.close();
  }
}
