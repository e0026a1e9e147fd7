// What operations on items share: the open operator.
import { type Operator, openOperator } from '#gateway/operate/operator.ts';
import { systemRandom } from '#runtime/clock.ts';
import { gatewayOf, type Installation } from './installation.ts';

/** Works on the gateway's ledger and homes, and closes the homes. */
export async function withOperator<Result>(on: Installation, work: (operator: Operator) => Promise<Result>): Promise<Result> {
  const { data, ledger, clock, check } = gatewayOf(on);
  const { log, config } = on;
  const { receipts, archive } = config.gateway;
  await using operator = await openOperator({ data, ledger, clock, check, random: systemRandom, log, receipts, archive });
  return await work(operator);
}
