// Who is killed when: at each request between the programs of two companies, before it arrives or before its answer does, either of the two.
import type { Answering, Companies, Company, CompanyName } from './companies.ts';
import type { Moment } from './relay.ts';

export interface Kill {
  readonly victim: Answering;
  /** The request, and who answers it. */
  readonly who: Answering;
  readonly path: string;
  readonly moment: Moment;
}

/** Of a document from the seller to the buyer, in the order of time: who asks, who answers, and what. */
const REQUESTS = [
  ['seller dropgate', 'seller access point', '/api/outbound/submit-sbd'],
  ['seller access point', 'buyer access point', '/as4'],
  ['buyer access point', 'buyer dropgate', '/api/dd_and_validate/'],
  ['buyer access point', 'buyer dropgate', '/access-point/incoming'],
  ['buyer access point', 'seller access point', '/as4'],
  ['seller access point', 'seller dropgate', '/api/dd_and_validate/'],
  ['seller access point', 'seller dropgate', '/access-point/incoming'],
  ['seller dropgate', 'seller access point', '/api/outbound/status/'],
] as const satisfies readonly (readonly [asks: Answering, answers: Answering, path: string])[];

export const KILLS: readonly Kill[] = REQUESTS.flatMap(([asks, who, path]) =>
  (['request', 'answer'] as const).flatMap((moment) => [asks, who].map((victim): Kill => ({ victim, who, path, moment }))),
);

/** What its access point cannot have verified it refuses for good, and says so: the sender has to send it again. */
export function isTurnedAway({ victim, path }: Kill): boolean {
  return victim === 'buyer dropgate' && path === '/api/dd_and_validate/';
}

/** Stages of receipts with which the sender may be left. */
export function endsOf(kill: Kill): readonly string[] {
  return isTurnedAway(kill) ? ['rejected'] : ['sent', 'delivered'];
}

export function namedKill({ victim, who, path, moment }: Kill): string {
  return `${victim} at the ${moment} of ${path} to ${who}`;
}

/** Kills once, when that moment comes; resolves when it has. */
export function killAt(companies: Companies, { victim, who, path, moment }: Kill): Promise<void> {
  return new Promise((killed) => {
    companies.watch = async (at, when, asked) => {
      if (at !== who || when !== moment || !asked.startsWith(path)) return;
      companies.watch = async () => undefined;
      const { company, isDropgate } = victimOf(companies, victim);
      await (isDropgate ? company.daemon.kill() : company.accessPoint.kill());
      killed();
      // With whoever was killed its connections end.
      if (when === 'answer') throw new Error('the answer is lost');
    };
  });
}

/** Starts it again; an access point archives all that is done from now on. */
export async function restart(companies: Companies, { victim }: Kill): Promise<void> {
  const { company, isDropgate } = victimOf(companies, victim);
  await (isDropgate ? company.daemon.start() : company.accessPoint.start('archiving'));
}

function victimOf(companies: Companies, victim: Answering): { readonly company: Company; readonly isDropgate: boolean } {
  const name: CompanyName = victim.startsWith('seller') ? 'seller' : 'buyer';
  return { company: companies[name], isDropgate: victim.endsWith('dropgate') };
}
