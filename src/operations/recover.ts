// The operation that brings the gateway's ledger and its spool together. A start does the same.
import { Type } from 'typebox';
import { ALL_HOMES } from '#gateway/model/homes.ts';
import { changeFolder } from '#gateway/nodes/folder.ts';
import { refuseOthers } from '#gateway/spool/hands.ts';
import { recoverSpool } from '#gateway/spool/recover.ts';
import { systemRandom } from '#runtime/clock.ts';
import { Count } from './forms.ts';
import type { ClosedInstallation, Installation } from './installation.ts';
import { withInstallation } from './ledgers.ts';
import { operation } from './operation.ts';
import { withOperator } from './operator.ts';

export const recover = operation(
  Type.Object({
    /** The data folder comes from a backup: nothing open is sent before it was looked for at the service. */
    restored: Type.Boolean(),
  }),
  Type.Object({
    /** As the one who asks says, or as ledger and spool do. */
    restored: Type.Boolean(),
    /** Files of the spool that have got a row, and finished ones that went back into their homes. */
    adopted: Count,
    returned: Count,
    /** Rows without a file. */
    ended: Count,
    held: Count,
    cancelled: Count,
  }),
  // It says itself which folder the nodes share from then on.
  ({ config, progress }: ClosedInstallation, { restored }) => withInstallation(config, progress, (on) => recovered(on, restored), 'any'),
);

function recovered(on: Installation, isRestored: boolean) {
  return withOperator(on, async (operator) => {
    // Nobody answers here: the rings are for the daemon, which sweeps when it starts.
    await refuseOthers(operator);
    const { progress } = on;
    progress('reading ledger and spool');
    const { restored, recovered: done } = await recoverSpool({ ...operator, restored: isRestored, progress }, ALL_HOMES);
    progress('putting what is owed into homes');
    await operator.publisher.recover(ALL_HOMES);
    await changeFolder(operator.data, operator.ledger, systemRandom);
    const { adopted, returned, ended, held, cancelled } = done;
    return { restored, adopted, returned, ended, held, cancelled };
  });
}
