// `dropgate recover`: rebuilds the gateway's ledger from its spool, while no daemon runs. A start does the same.
import { openMemoryQueue } from '#engines/memory-queue.ts';
import { recoverSpool } from '#gateway/recover.ts';
import { systemClock } from '#runtime/clock.ts';
import { lockFolder } from '#runtime/lock.ts';
import { openLog } from '#runtime/log.ts';
import { type AddCommand, type ConfigOptions, configOf, configured } from './command.ts';
import { gatewayOf, prepareData, withLedgers } from './ledgers.ts';

export const addRecover: AddCommand = (parent, terminal) => {
  configured(parent, 'recover', "bring the gateway's ledger and its spool together, while no daemon runs").action(
    async (options: ConfigOptions) => {
      const { config } = configOf(options);
      prepareData(config.data);
      using _lock = lockFolder(config.data);
      const { adopted, cancelled } = await withLedgers(config, (ledgers) => {
        const { data, ledger, clock } = gatewayOf(ledgers);
        const log = openLog(config.log.level, process.stderr);
        // Nobody answers here: the rings are for the daemon, which sweeps when it starts.
        return recoverSpool({ data, ledger, queue: openMemoryQueue(systemClock, log), clock, log, owner: 'recover' });
      });
      terminal.print(`${adopted} files of the spool were adopted, ${cancelled} rows without a file were cancelled.`);
    },
  );
};
