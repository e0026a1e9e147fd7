// The operation by which the ledgers make do without the key that sealed them. What the core beside us can give again it gives; a
// person sets the rest anew.

import { Type } from 'typebox';
import { loseSealed as loseInCore, readSealed as readSealedInCore, type SealedSecret } from '#core/ledger/sealed.ts';
import { issueGatewayKey, issuePartnerKey } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import { loseSealed, readSealed, type SealedKey } from '#gateway/ledger/sealed.ts';
import { changeFolder } from '#gateway/nodes/folder.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { setAnew } from '#gateway/operate/lost-keys.ts';
import { putPartner } from '#gateway/operate/partners.ts';
import { operatorsWithLostCodes } from '#gateway/operate/second-factor.ts';
import { masterKeyPath } from '#installation/master-key.ts';
import { unlikeFolder } from '#installation/shared-folder.ts';
import { setTrailAside } from '#runtime/audit/trail.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { foreignOf, type Seal } from '#runtime/seal.ts';
import type { ClosedInstallation, Ledgers } from './installation.ts';
import { withAnyKey } from './ledgers.ts';
import { operation } from './operation.ts';

type LostKind = SealedKey['kind'] | SealedSecret['kind'] | 'second factor of operator';

interface Lost {
  readonly kind: LostKind;
  readonly id: string;
}

/** What a person has to do about a secret that was lost; null where that mends itself. */
const ANEW: Readonly<Record<LostKind, ((id: string) => string) | null>> = {
  'API key of account': (id) => setAnew({ kind: 'API key of account', id }),
  'API key of partner': (id) => setAnew({ kind: 'API key of partner', id }),
  'authentication of webhook': () => 'the subscription rests until its subscriber sets it again, and enables the subscription by PUT',
  'signing secret of webhook': (id) => `dropgate webhook sign ${id}; its deliveries are not signed until then`,
  'second factor of operator': (id) => `dropgate operator set ${id} --totp`,
  'key that signs tokens': null,
};

/** By which a restored folder is said to be that of the nodes from now on, where its key file is lost, too. */
const RESTORED = 'dropgate recover --new-key --restored';

export const newKey = operation(
  Type.Object({
    /** The nodes share this data folder from now on. */
    restored: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    keyFile: Type.String(),
    /** What must be set anew, and how. */
    lost: Type.Array(Type.Object({ kind: Type.String(), id: Type.String(), anew: Type.String() })),
  }),
  async ({ config }: ClosedInstallation, { restored = false }) => {
    // Before a key is made: on another folder than that of the others theirs is not lost.
    const unlike = restored ? undefined : await unlikeFolder(config, RESTORED);
    if (unlike !== undefined) throw new AppError('usage', unlike);
    const lost = await withAnyKey(
      config,
      async (ledgers, seal) => {
        const { gateway } = ledgers;
        if (restored && gateway) await changeFolder(gateway.data, gateway.ledger, systemRandom);
        return loseForeign(ledgers, seal);
      },
      'alone',
    );
    setTrailAside(config.data, systemClock.now());
    return {
      keyFile: masterKeyPath(config),
      lost: lost.flatMap(({ kind, id }) => {
        const anew = ANEW[kind]?.(id);
        return anew === undefined ? [] : [{ kind, id, anew }];
      }),
    };
  },
);

/** What could not be given again. */
async function loseForeign(ledgers: Ledgers, seal: Seal): Promise<Lost[]> {
  const { core, gateway } = ledgers;
  const lost: Lost[] = [];
  if (core) {
    const foreign = foreignOf(seal, await readSealedInCore(core.ledger.read));
    await core.ledger.write(['administration'], async (rows) => {
      for (const each of foreign) await loseInCore(rows, each);
    });
    lost.push(...foreign);
  }
  for (const each of gateway ? foreignOf(seal, await readSealed(gateway.ledger.read)) : []) {
    if (!(await isGivenAgain(ledgers, each))) lost.push(each);
  }
  for (const id of gateway ? await operatorsWithLostCodes(gateway) : []) lost.push({ kind: 'second factor of operator', id });
  return lost;
}

/** A core beside us knows whom the gateway speaks for, and takes a new key beside the old one. */
async function isGivenAgain({ core, gateway }: Ledgers, lost: SealedKey): Promise<boolean> {
  const { kind, id } = lost;
  if (!gateway) return false;
  if (!core) {
    await gateway.ledger.write([], (rows) => loseSealed(rows, lost));
    return false;
  }
  if (kind === 'API key of account') await putAccount(gateway, id, await issueGatewayKey(core, id));
  else await putPartner(gateway, { partnerRegNo: id, serviceKey: await issuePartnerKey(core, id) });
  return true;
}
