// Operations on accounts that make API keys, each answered once: adding an account, another key, taking an account back.
import { Type } from 'typebox';
import { rotateKey as rotateInCore, takeBack as takeBackInCore } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import { ReceivingRules } from '#gateway/model/receiving.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { listPartners, unlinkChild } from '#gateway/operate/partners.ts';
import { PROOFS, proofsOf } from './credentials.ts';
import { Count, changesOf, TextOrNull } from './forms.ts';
import { coreOf, gatewayOf, type Ledgers } from './installation.ts';
import { accountHere } from './known.ts';
import { createAccount, createRemoteAccount, noHome } from './new-account.ts';
import { operation } from './operation.ts';
import { mustBeOfService, ROTATION } from './service-key.ts';

export const add = operation(
  Type.Object({
    accountRegNo: Type.String(),
    /** Without it the account's number. */
    name: Type.Optional(Type.String()),
    participants: Type.Optional(Type.Array(Type.String())),
    /** What a remote service gave, where the account is one of its. */
    apiKey: Type.Optional(Type.String()),
    /** Without it the account uses the API only, and has no home. */
    login: Type.Optional(Type.Object({ login: Type.String(), ...PROOFS })),
    receiving: Type.Optional(changesOf(ReceivingRules)),
  }),
  Type.Object({
    accountRegNo: Type.String(),
    /** Null where a remote service has made it. */
    apiKey: TextOrNull,
    login: TextOrNull,
    /** One that was made up. */
    password: Type.Optional(Type.String()),
  }),
  async (on, { accountRegNo, name = accountRegNo, participants = [], apiKey: serviceKey, login: asked, receiving = {} }) => {
    mustBeOfService(on, serviceKey, 'give --remote, --login and --api-key-stdin');
    if (serviceKey !== undefined && participants.length > 0)
      throw new AppError('usage', 'The participants of a remote account are kept by its service: leave --participant out.');
    const proofs = asked && (await proofsOf(asked));
    const login = asked && proofs ? { login: asked.login, passwordHash: proofs.passwordHash, publicKeys: proofs.publicKeys } : null;
    const shown = { login: login?.login ?? null, ...proofs?.shown };
    if (serviceKey === undefined)
      return { accountRegNo, apiKey: await createAccount(on, { accountRegNo, name, participants, login, receiving }), ...shown };
    if (!login) throw new AppError('usage', 'An account of a remote service needs --login.');
    await createRemoteAccount(on, { accountRegNo, receiving }, serviceKey, login);
    return { accountRegNo, apiKey: null, ...shown };
  },
);

export const rotateKey = operation(
  Type.Object({ accountRegNo: Type.String(), ...ROTATION }),
  Type.Object({ accountRegNo: Type.String(), apiKey: TextOrNull }),
  async (on, { accountRegNo, apiKey: serviceKey, graceMs }) => {
    mustBeOfService(on, serviceKey, 'give --api-key-stdin');
    const here = await accountHere(on, accountRegNo);
    if (serviceKey !== undefined) {
      if (!here) throw noHome(accountRegNo);
      await putAccount(gatewayOf(on), accountRegNo, serviceKey);
      return { accountRegNo, apiKey: null };
    }
    const { apiKey, gatewayKey } = await rotateInCore(coreOf(on), accountRegNo, graceMs);
    // For a partner's child the gateway goes on by its partner's tokens.
    if (here?.ownKey) await putAccount(gatewayOf(on), accountRegNo, gatewayKey);
    return { accountRegNo, apiKey };
  },
);

/** The core first: from then on partners can do nothing with the account. Repeated, it goes on where it was stopped. */
export const takeBack = operation(
  Type.Object({ accountRegNo: Type.String() }),
  Type.Object({
    accountRegNo: Type.String(),
    apiKey: Type.String(),
    /** Files of it that wait, and are held now. */
    waiting: Count,
  }),
  async (on, { accountRegNo }) => {
    const { apiKey, gatewayKey } = await takeBackInCore(coreOf(on), accountRegNo);
    const waiting = await unlinkAll(on, accountRegNo);
    if ((await accountHere(on, accountRegNo))?.ownKey) await putAccount(gatewayOf(on), accountRegNo, gatewayKey);
    return { accountRegNo, apiKey, waiting };
  },
);

async function unlinkAll({ gateway }: Ledgers, accountRegNo: string): Promise<number> {
  let waiting = 0;
  for (const { partnerRegNo, login, children } of gateway ? await listPartners(gateway) : []) {
    const isChild = children.some((child) => child.accountRegNo === accountRegNo && child.state !== 'unlinked');
    if (gateway && isChild) waiting += (await unlinkChild(gateway, partnerRegNo, accountRegNo, login ?? partnerRegNo)).waiting;
  }
  return waiting;
}
