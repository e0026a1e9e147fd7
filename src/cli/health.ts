// `dropgate health`: asks the daemon's own listeners whether they answer, for a container's health check.
import { type Probe, probesOf } from '#admin/probes.ts';
import { AppError, messageOf } from '#domain/error.ts';
import { databaseServer } from '#installation/database-server.ts';
import type { AddCommand } from './commands.ts';
import { type ConfigOptions, configOf } from './options.ts';

export const addHealth: AddCommand = (commands) => {
  commands.configured('health').action(async (options: ConfigOptions) => {
    const { config } = configOf(options, 'file or ledgers');
    const probes = probesOf(config);
    for (const probe of probes) await check(probe);
    const server = databaseServer(config);
    if (server && config.role !== 'core') {
      const { openGatewayLedger } = await import('#gateway/ledger/open.ts');
      await (await openGatewayLedger(config.data, server)).close();
    }
    commands.terminal.print(`The daemon answers: ${probes.map(({ place }) => place).join(', ')}.`);
  });
};

async function check({ place, ask }: Probe): Promise<void> {
  const isWell = await ask().catch((error: unknown) => {
    throw new AppError('internal', `The daemon does not answer: ${place} (${messageOf(error)}).`);
  });
  if (!isWell) throw new AppError('internal', `The daemon does not answer as it should: ${place}.`);
}
