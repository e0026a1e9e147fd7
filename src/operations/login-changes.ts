// Operations that add logins, and change what they prove themselves with and which homes they see.
import { Type } from 'typebox';
import { AppError } from '#domain/error.ts';
import { changedRules, LoginRules } from '#gateway/model/login-rules.ts';
import {
  addLoginHome,
  addPublicKey,
  addLogin as addToLedger,
  removeLogin,
  removeLoginHome,
  removePublicKeys,
  renameFolder as renameInLedger,
  setPassword as setInLedger,
} from '#gateway/operate/logins.ts';
import { isSameKey } from '#gateway/sftp/auth/public-keys.ts';
import { PROOFS, proofsOf, publicKeysIn } from './credentials.ts';
import { Count, changesOf } from './forms.ts';
import { gatewayOf } from './installation.ts';
import { mustBeUsable } from './logins.ts';
import { ensureHomeOf } from './new-account.ts';
import { operation } from './operation.ts';

const Seen = Type.Object({ accountRegNo: Type.String(), folder: Type.String() });

/** An account of the core that has no home here gets one. */
export const add = operation(
  Type.Object({
    login: Type.String(),
    ...PROOFS,
    rules: changesOf(LoginRules),
    /** The accounts that it sees; a folder of '' puts the folders of one alone at the top. */
    homes: Type.Array(Seen),
  }),
  Type.Object({
    login: Type.String(),
    /** One that was made up. */
    password: Type.Optional(Type.String()),
  }),
  async (on, { login, rules, homes, ...given }) => {
    const { shown, ...proofs } = await proofsOf(given, { both: rules.methods === 'both' });
    mustBeUsable(login, { ...proofs, rules: changedRules({}, rules) });
    const gateway = gatewayOf(on);
    await addToLedger(gateway, { login, ...proofs, rules });
    try {
      for (const { accountRegNo, folder } of homes) {
        await ensureHomeOf(on, accountRegNo);
        await addLoginHome(gateway, login, accountRegNo, folder);
      }
    } catch (error) {
      await removeLogin(gateway, login);
      throw error;
    }
    return { login, ...shown };
  },
);

export const setPassword = operation(
  Type.Object({ login: Type.String(), password: PROOFS.password }),
  Type.Object({
    login: Type.String(),
    /** One that was made up. */
    password: Type.Optional(Type.String()),
  }),
  async (on, { login, ...given }) => {
    const { passwordHash, shown } = await proofsOf(given);
    if (passwordHash === null) throw new AppError('internal', 'There is no password to set.');
    await setInLedger(gatewayOf(on), login, passwordHash);
    return { login, ...shown };
  },
);

const Keys = Type.Object({ login: Type.String(), publicKeys: Type.String() });
const KeyCount = Type.Object({ login: Type.String(), keys: Count });

export const addKey = operation(Keys, KeyCount, async (on, { login, publicKeys }) => {
  const keys = publicKeysIn(publicKeys);
  for (const key of keys) await addPublicKey(gatewayOf(on), login, key);
  return { login, keys: keys.length };
});

export const removeKey = operation(Keys, KeyCount, async (on, { login, publicKeys }) => {
  const keys = publicKeysIn(publicKeys);
  return { login, keys: await removePublicKeys(gatewayOf(on), login, (key) => keys.some((each) => isSameKey(each, key))) };
});

const SeenBy = Type.Object({ login: Type.String(), ...Seen.properties });

export const addHome = operation(SeenBy, SeenBy, async (on, { login, accountRegNo, folder }) => {
  await ensureHomeOf(on, accountRegNo);
  await addLoginHome(gatewayOf(on), login, accountRegNo, folder);
  return { login, accountRegNo, folder };
});

const Sight = Type.Object({ login: Type.String(), accountRegNo: Type.String() });

export const removeHome = operation(Sight, Sight, async (on, { login, accountRegNo }) => {
  const seen = await removeLoginHome(gatewayOf(on), login, accountRegNo);
  if (!seen) throw new AppError('missing', `Login ${login} does not see ${accountRegNo}; 'dropgate login list' shows what it sees.`);
  return { login, accountRegNo };
});

/** A folder of '' is the top. */
const Renaming = Type.Object({ login: Type.String(), folder: Type.String(), name: Type.String() });

export const renameFolder = operation(Renaming, Renaming, async (on, { login, folder, name }) => {
  await renameInLedger(gatewayOf(on), login, folder, name);
  return { login, folder, name };
});
