// Operations that add partners, change what is set about them, and say for whom they may act.
import { type Static, Type } from 'typebox';
import { updateCorePartner } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import { putPartner } from '#gateway/operate/partners.ts';
import { PROOFS, proofsOf } from './credentials.ts';
import { Count, TextOrNull } from './forms.ts';
import { coreOf, gatewayOf } from './installation.ts';
import { loginHere, partnerHere } from './known.ts';
import { operation } from './operation.ts';
import { createPartner, ensurePartner, linkAccount, rotateKeyOf, unlinkAccount } from './partnership.ts';
import { mustBeOfService, ROTATION } from './service-key.ts';

const CountOrNull = Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]);
/** What a partner of the core here may have at the most; null is the usual. */
const Limits = Type.Partial(Type.Object({ requestsMax: CountOrNull, childrenMax: CountOrNull }));
const Named = Type.Object({ partnerRegNo: Type.String() });
const Link = { partnerRegNo: Type.String(), accountRegNo: Type.String() } as const;

export const add = operation(
  Type.Object({
    partnerRegNo: Type.String(),
    /** A core here wants it. */
    name: Type.Optional(Type.String()),
    /** What a remote service gave, where the partner is one of its. */
    apiKey: Type.Optional(Type.String()),
    /** The login that sees its children; it is made when it is not there. */
    login: Type.Optional(Type.Object({ login: Type.String(), ...PROOFS })),
    /** One home for all its children. */
    consolidated: Type.Boolean(),
    limits: Limits,
  }),
  Type.Object({
    partnerRegNo: Type.String(),
    apiKey: Type.Optional(Type.String()),
    login: Type.Optional(Type.String()),
    /** One that was made up. */
    password: Type.Optional(Type.String()),
  }),
  async (on, { partnerRegNo, name, apiKey: serviceKey, login: asked, consolidated, limits }) => {
    mustBeOfService(on, serviceKey, 'give --remote and --api-key-stdin');
    if (serviceKey !== undefined && isSaid(limits))
      throw new AppError('usage', 'The limits of a remote partner are kept by its service: leave them out.');
    if (serviceKey === undefined && name === undefined) throw new AppError('usage', 'Give --name, the name of the company.');
    const isThere = asked && (await loginHere({ gateway: gatewayOf(on) }, asked.login));
    const proofs = asked && !isThere ? await proofsOf(asked) : null;
    const login = asked?.login ?? null;
    const partner = { partnerRegNo, name: name ?? partnerRegNo, consolidated, login, serviceKey: serviceKey ?? null };
    const apiKey = await createPartner(on, { ...partner, credentials: proofs });
    if (isSaid(limits)) await updateCorePartner(coreOf(on), partnerRegNo, limits);
    return { partnerRegNo, ...(apiKey !== null && { apiKey }), ...(login !== null && { login }), ...proofs?.shown };
  },
);

export const set = operation(
  Type.Object({
    partnerRegNo: Type.String(),
    /** Of a partner of the core here, as its limits are. */
    name: Type.Optional(Type.String()),
    limits: Limits,
    /** The login that sees the children linked from now on; one that is there. */
    login: Type.Optional(Type.String()),
  }),
  Named,
  async (on, { partnerRegNo, name, login, limits }) => {
    const inCore = { ...(name !== undefined && { name }), ...limits };
    if (login === undefined && !isSaid(inCore)) throw new AppError('usage', 'Give --name, --login, --requests or --children-max.');
    if (isSaid(inCore)) await updateCorePartner(coreOf(on), partnerRegNo, inCore);
    if (login !== undefined) await ensurePartner(on, { partnerRegNo, login });
    return { partnerRegNo };
  },
);

export const link = operation(
  Type.Object({
    ...Link,
    /** Without it the one that it was added with, or that is named like it. */
    login: Type.Optional(Type.String()),
    folder: Type.Optional(Type.String()),
    /** All addresses that the account sends from; an account of the core here has its own. */
    participants: Type.Optional(Type.Array(Type.String())),
  }),
  Type.Object({
    ...Link,
    /** The login that sees its home; null when none does. */
    login: TextOrNull,
    /** Files of it that are held, and may be sent on their way again. */
    held: Count,
  }),
  async (on, child) => {
    const linked = await linkAccount(on, child);
    const { partnerRegNo, accountRegNo } = child;
    return { partnerRegNo, accountRegNo, login: linked?.login ?? null, held: linked?.held ?? 0 };
  },
);

export const unlink = operation(
  Type.Object({ ...Link, login: Type.Optional(Type.String()) }),
  Type.Object({
    ...Link,
    /** The login that saw its home, or its partner's children; null when none did. */
    login: TextOrNull,
    /** Files that wait, and are held now. */
    waiting: Count,
  }),
  async (on, { partnerRegNo, accountRegNo, login }) => ({
    partnerRegNo,
    accountRegNo,
    ...(await unlinkAccount(on, partnerRegNo, accountRegNo, login)),
  }),
);

export const rotateKey = operation(
  Type.Object({ partnerRegNo: Type.String(), ...ROTATION }),
  Type.Object({ partnerRegNo: Type.String(), apiKey: TextOrNull }),
  async (on, { partnerRegNo, apiKey: serviceKey, graceMs }) => {
    mustBeOfService(on, serviceKey, 'give --api-key-stdin');
    if (serviceKey === undefined) return { partnerRegNo, apiKey: await rotateKeyOf(on, partnerRegNo, graceMs) };
    if (!(await partnerHere({ gateway: gatewayOf(on) }, partnerRegNo)))
      throw new AppError('missing', `Partner ${partnerRegNo} is not known on this gateway; 'dropgate partner list' shows all.`);
    await putPartner(gatewayOf(on), { partnerRegNo, serviceKey });
    return { partnerRegNo, apiKey: null };
  },
);

function isSaid(changes: Static<typeof Limits>): boolean {
  return Object.keys(changes).length > 0;
}
