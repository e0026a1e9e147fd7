// Operations on partners: accounts that may act for others.
import { type Static, Type } from 'typebox';
import { selectPartnerNumbers, selectPartners } from '#core/ledger/partners.ts';
import { updateCorePartner } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import type { NamePage } from '#domain/name-page.ts';
import { readChildRows } from '#gateway/ledger/accounts.ts';
import { readPartnerNumbers, readPartners } from '#gateway/ledger/partners.ts';
import { Count, Listed, TextOrNull } from './forms.ts';
import { coreOf, gatewayOf, type Ledgers } from './installation.ts';
import { partnerHere } from './known.ts';
import { operation } from './operation.ts';
import { removePartnership } from './partnership.ts';

/** What the core knows of it is null where the partner is a remote service's. */
const PARTNER = {
  partnerRegNo: Type.String(),
  name: Type.String(),
  accounts: Type.Array(Type.String()),
  enabled: Type.Union([Type.Boolean(), Type.Null()]),
  requestsMax: Type.Union([Count, Type.Null()]),
  childrenMax: Type.Union([Count, Type.Null()]),
  /** One home here for all its children. */
  consolidated: Type.Boolean(),
} as const;
const Partner = Type.Object(PARTNER);
const Child = Type.Object({
  accountRegNo: Type.String(),
  folder: Type.String(),
  state: Type.Enum(['linked', 'unlinked', 'disabled']),
  participants: Type.Array(Type.String()),
});
const Named = Type.Object({ partnerRegNo: Type.String() });

export const list = operation(Listed, Type.Array(Partner), async (on, { page }) => partnersOf(on, page && (await numbersOn(on, page))));

async function numbersOn({ core, gateway }: Ledgers, page: NamePage): Promise<string[]> {
  if (core) return selectPartnerNumbers(core.ledger.read, page);
  return gateway ? readPartnerNumbers(gateway.ledger.read, page) : [];
}

/** All, or those of these that are there: of the core where there is one, otherwise as this gateway knows them. */
async function partnersOf({ core, gateway }: Ledgers, only?: readonly string[]): Promise<Static<typeof Partner>[]> {
  const here = gateway ? await readPartners(gateway.ledger.read, only) : [];
  if (core) {
    const shared = new Set(here.flatMap(({ partnerRegNo, consolidated }) => (consolidated ? [partnerRegNo] : [])));
    const partners = await selectPartners(core.ledger.read, only);
    return partners.map(({ accounts, ...partner }) => ({
      ...partner,
      accounts: [...accounts],
      consolidated: shared.has(partner.partnerRegNo),
    }));
  }
  const childrenOf = Map.groupBy(gateway ? await readChildRows(gateway.ledger.read, only) : [], ({ partnerRegNo }) => partnerRegNo);
  return here.map(({ partnerRegNo, consolidated }) => ({
    partnerRegNo,
    name: '',
    enabled: null,
    requestsMax: null,
    childrenMax: null,
    consolidated,
    accounts: (childrenOf.get(partnerRegNo) ?? []).filter(({ unlinked }) => !unlinked).map(({ accountRegNo }) => accountRegNo),
  }));
}

export const show = operation(
  Named,
  Type.Object({
    ...PARTNER,
    login: TextOrNull,
    children: Type.Array(Child),
  }),
  async (on, { partnerRegNo }) => {
    const [[partner], here] = await Promise.all([partnersOf(on, [partnerRegNo]), partnerHere(on, partnerRegNo)]);
    if (!partner) throw new AppError('missing', `There is no partner ${partnerRegNo}; 'dropgate partner list' shows all.`);
    return {
      ...partner,
      login: here?.login ?? null,
      children: (here?.children ?? []).map(childFacts),
    };
  },
);

const childFacts = ({
  participants,
  ...child
}: { readonly participants: readonly string[] } & Omit<Static<typeof Child>, 'participants'>) => ({
  ...child,
  participants: [...participants],
});

export const children = operation(Named, Type.Array(Child), async (on, { partnerRegNo }) => {
  const known = await partnerHere({ gateway: gatewayOf(on) }, partnerRegNo);
  if (!known) throw new AppError('missing', `Partner ${partnerRegNo} is not known on this gateway; 'dropgate partner list' shows all.`);
  return known.children.map(childFacts);
});

/** Of the core only: a remote service has its own. */
const switched = (enabled: boolean) =>
  operation(Named, Named, async (on, { partnerRegNo }) => {
    await updateCorePartner(coreOf(on), partnerRegNo, { enabled });
    return { partnerRegNo };
  });
export const disable = switched(false);
export const enable = switched(true);

export const remove = operation(
  Named,
  Type.Object({
    partnerRegNo: Type.String(),
    /** The login that saw its children, and is still there. */
    login: TextOrNull,
    /** Files of its children that wait, and are held now. */
    waiting: Count,
  }),
  async (on, { partnerRegNo }) => ({ partnerRegNo, ...(await removePartnership(on, partnerRegNo)) }),
);
