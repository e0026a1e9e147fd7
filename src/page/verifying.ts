// Verifying the archive and the audit trail by a button, also for operators who may only look: nothing is changed by it.
import { toldTrail } from '#operations/verified-words.ts';
import type { Act } from './act.ts';
import { verifiedArchive } from './archive.ts';
import { verifiedTrail } from './audit.ts';

export const VERIFYING: Readonly<Record<string, Act>> = {
  'verify-archive': {
    label: 'Verify the archive',
    isForAll: true,
    from: () => '/archive',
    says: async (_visit, id) =>
      `Every file of the closed days ${id === '' ? 'of all accounts' : `of account ${id}`} is read and compared with what was signed when its day was closed. Of many years that takes a while.`,
    async run({ ask }, accountRegNo) {
      if (accountRegNo === '') return { once: verifiedArchive(await ask('archive.verify', {})) };
      return { once: verifiedArchive(await ask('archive.verify', { accountRegNo }), accountRegNo) };
    },
  },
  'verify-audit': {
    label: 'Verify the audit trail',
    isForAll: true,
    from: () => '/audit',
    says: async () => 'Every line of the audit trail is read, and whether one was changed, removed or added is told by its MAC.',
    async run({ ask }) {
      const verified = await ask('audit.verify', {});
      return { once: verifiedTrail(verified.broken === null, toldTrail(verified)) };
    },
  },
};
