// Looks participants of accounts up in the network now, as strangers would: what was found stands in the core's ledger.
import { smpPartsOf } from '#core/network/network.ts';
import { openSurvey } from '#core/network/survey.ts';
import { lookNow } from '#core/network/watch.ts';
import { AppError } from '#domain/error.ts';
import { openLog } from '#runtime/log.ts';
import { openOutbound } from '#runtime/outbound/outbound.ts';
import { coreOf, type Installation } from './installation.ts';

/** One account's, or so many at the most of all. Throws `usage` where there is no network. */
export async function lookUp(on: Installation, accountRegNo: string | null, countMax: number): Promise<void> {
  const {
    core: { network },
    outbound: settings,
    environment,
  } = on.config;
  if (network.kind === 'local') throw new AppError('usage', 'There is no network to look into: core.network.kind is local.');
  const core = coreOf(on);
  const outbound = openOutbound(settings, core.clock);
  try {
    const survey = openSurvey(smpPartsOf(network, { environment, dns: settings.dns, outbound, clock: core.clock }), network);
    // What comes of it is the answer.
    await lookNow({ ...core, log: openLog('silent') }, survey, accountRegNo, countMax);
  } finally {
    await outbound.close();
  }
}
