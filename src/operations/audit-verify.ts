// The operation that tells whether the audit trail is whole.
import { Type } from 'typebox';
import { AppError } from '#domain/error.ts';
import { lostKey, masterKeyPath } from '#installation/master-key.ts';
import { verifyTrail } from '#runtime/audit/verify.ts';
import { systemRandom } from '#runtime/clock.ts';
import { isThere } from '#runtime/files/rights.ts';
import { openSeal } from '#runtime/seal.ts';
import { Count, TextOrNull } from './forms.ts';
import type { ClosedInstallation } from './installation.ts';
import { operation } from './operation.ts';

export const auditVerify = operation(
  Type.Object({
    /** A MAC that the log tells (audit.written): the line that it belongs to must be there. */
    last: Type.Optional(Type.String()),
  }),
  Type.Object({
    /** Lines that were read. */
    lines: Count,
    last: Type.Union([Type.Object({ sequence: Count, mac: Type.String() }), Type.Null()]),
    /** The first thing that is wrong; null where nothing is. */
    broken: TextOrNull,
  }),
  async ({ config, running }: ClosedInstallation, { last }) => {
    const seen = running?.trail?.last() ?? null;
    const path = masterKeyPath(config);
    if (!isThere(path)) {
      // It loads the ledgers.
      const { unlikeFolder } = await import('#installation/shared-folder.ts');
      throw new AppError('usage', (await unlikeFolder(config)) ?? (await lostKey(config)) ?? 'There is no key file yet.');
    }
    const seal = await openSeal(path, systemRandom);
    const verified = verifyTrail(config.data, seal, last ?? null);
    // What the daemon has seen must be there, whatever the asker knows; asked for after the trail was read, it might be longer.
    return verified.broken !== null || seen === null ? verified : verifyTrail(config.data, seal, seen.mac);
  },
);
