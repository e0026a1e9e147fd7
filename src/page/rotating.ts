// Another API key for an account or a partner: the core here makes one, which is shown once; one of a remote service is typed in.
import { counted } from '#domain/amounts.ts';
import type { Act, Given } from './act.ts';
import { said, shownOnce } from './saying.ts';
import type { Visit } from './visit.ts';
import { address } from './words.ts';

/** As `dropgate account rotate-key` has it where nothing is said. */
const GRACE_HOURS = 24;

type Rotation = { readonly apiKey?: string; readonly graceMs: number };

interface Holder {
  readonly kind: 'account' | 'partner';
  readonly isOfCore: (visit: Visit, id: string) => Promise<boolean>;
  /** The new key; null where a remote service has made it. */
  readonly rotate: (visit: Visit, id: string, rotation: Rotation) => Promise<string | null>;
}

function rotating({ kind, isOfCore, rotate }: Holder): Act {
  const from = (id: string): string => address(`/${kind}`, { id });
  return {
    label: 'Make a new API key',
    from,
    says: async (visit, id) =>
      (await isOfCore(visit, id))
        ? `A new API key is made for ${kind} ${id} and shown once. Programs that use the old one have ${counted(GRACE_HOURS, 'hour')}: then it is refused. The gateway takes its own new one by itself.`
        : `The gateway goes on for ${kind} ${id} by the key that its service has given. Nothing is told to the service.`,
    fields: async (visit, id) =>
      (await isOfCore(visit, id)) ? {} : { apiKey: { label: 'New API key of the service', kind: 'secret', isRequired: true } },
    async run(visit, id, given: Given) {
      const apiKey = await rotate(visit, id, { ...said(given, 'apiKey'), graceMs: GRACE_HOURS * 3_600_000 });
      return shownOnce('The API key is new', from(id), { 'API key': apiKey });
    },
  };
}

export const ROTATING: Readonly<Record<string, Act>> = {
  'rotate-account-key': rotating({
    kind: 'account',
    isOfCore: async ({ ask }, accountRegNo) => (await ask('account.show', { accountRegNo })).features !== null,
    rotate: async ({ ask }, accountRegNo, rotation) => (await ask('account.rotate-key', { accountRegNo, ...rotation })).apiKey,
  }),
  'rotate-partner-key': rotating({
    kind: 'partner',
    isOfCore: async ({ ask }, partnerRegNo) => (await ask('partner.show', { partnerRegNo })).enabled !== null,
    rotate: async ({ ask }, partnerRegNo, rotation) => (await ask('partner.rotate-key', { partnerRegNo, ...rotation })).apiKey,
  }),
};
