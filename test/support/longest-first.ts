// The order in which test files begin: those that take long first, so that the last of them does not run alone in the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Ends of their paths, the longest first. */
const LONGEST = [
  'interop/clients.test.ts',
  'package/package.long.test.ts',
  'crash/crash-points.long.test.ts',
  'package/under-systemd.long.test.ts',
  'crash/cluster.long.test.ts',
  'webhooks/webhooks-many.long.test.ts',
  'crash/restore.long.test.ts',
  'e2e/cluster.long.test.ts',
  'crash/kill.long.test.ts',
  'packaging/install.long.test.ts',
  'e2e/backup.long.test.ts',
  'retention/ten-years.long.test.ts',
  'e2e/connection-kit.long.test.ts',
  'crash/shared-folder.long.test.ts',
  'crash/processes.long.test.ts',
  'core/cores.long.test.ts',
  'e2e/doorbell.long.test.ts',
  'packaging/serve.test.ts',
  'packaging/second-user.test.ts',
  'packaging/passed-socket.test.ts',
  'engines/bullmq.test.ts',
  'e2e/postgresql.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((end) => moduleId.endsWith(end));
  return at < 0 ? LONGEST.length : at;
}
