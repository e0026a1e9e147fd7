// Operations that change what is set about an account: what it may do, how documents are received for it, its addresses.

import { Type } from 'typebox';
import { addParticipant as addInCore, removeParticipant as removeInCore, updateCoreAccount } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import { RECEIPT_FORMS } from '#domain/receipt-forms.ts';
import { KeepRules } from '#gateway/model/keeping.ts';
import { ReceivingRules } from '#gateway/model/receiving.ts';
import { changeAccount, changeReceiving } from '#gateway/operate/account-rules.ts';
import { Features, Validation } from './account-forms.ts';
import { Count, changesOf, TextOrNull } from './forms.ts';
import { coreOf, gatewayOf } from './installation.ts';
import { operation } from './operation.ts';
import { tellParticipants } from './partnership.ts';

const CountOrNull = Type.Union([Count, Type.Null()]);
const Named = Type.Object({ accountRegNo: Type.String() });

/** Of the core; null is the usual. */
const InCore = Type.Partial(
  Type.Object({
    name: Type.String(),
    features: Type.Partial(Features),
    requestsMax: CountOrNull,
    keepMessages: CountOrNull,
    validation: Type.Partial(Validation),
  }),
);

/** Of its home here; null is as the settings say. */
const Home = Type.Partial(
  Type.Object({
    hints: Type.Boolean(),
    receipts: Type.Union([Type.Enum(RECEIPT_FORMS), Type.Null()]),
    validate: Type.Union([Type.Enum(['local', 'core']), Type.Null()]),
    unreachable: Type.Union([Type.Enum(['at-once']), Type.Null()]),
    reconciliation: Type.Union([Type.Enum(['daily']), Type.Null()]),
    repair: Type.Union([Type.Enum(['suggest']), Type.Null()]),
    doneFile: TextOrNull,
    keep: changesOf(KeepRules),
  }),
);

export const set = operation(
  Type.Object({ accountRegNo: Type.String(), core: InCore, home: Home }),
  Named,
  async (on, { accountRegNo, core, home }) => {
    const [inCore, here] = [core, home].map((changes) => Object.keys(changes).length > 0);
    if (!inCore && !here) throw new AppError('usage', "Say what to change: 'dropgate account set --help' shows all.");
    if (inCore) await updateCoreAccount(coreOf(on), accountRegNo, core);
    if (here) await changeAccount(gatewayOf(on), accountRegNo, home);
    return { accountRegNo };
  },
);

export const receiving = operation(
  Type.Object({ accountRegNo: Type.String(), rules: changesOf(ReceivingRules) }),
  Type.Object({ accountRegNo: Type.String(), ...ReceivingRules.properties }),
  async (on, { accountRegNo, rules }) => ({ accountRegNo, ...(await changeReceiving(gatewayOf(on), accountRegNo, rules)) }),
);

/** Of an account of the core here; a remote service's accounts have theirs there, or are told by `partner.link`. */
const Address = Type.Object({ accountRegNo: Type.String(), participant: Type.String() });

export const addParticipant = operation(Address, Address, async (on, { accountRegNo, participant }) => {
  await addInCore(coreOf(on), accountRegNo, participant);
  await tellParticipants(on, accountRegNo);
  return { accountRegNo, participant };
});

export const removeParticipant = operation(Address, Address, async (on, { accountRegNo, participant }) => {
  await removeInCore(coreOf(on), accountRegNo, participant);
  await tellParticipants(on, accountRegNo);
  return { accountRegNo, participant };
});
