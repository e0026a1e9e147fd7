// Our gateway, our core, and parts of them and of what they stand on, with a defect, to show that a test finds it.

import type { startCore } from '#core/core.ts';
import type { BullmqBell } from '#engines/bullmq/bell.ts';
import type { openPostgres } from '#engines/postgres/postgres.ts';
import type { startGateway } from '#gateway/gateway.ts';
import type { admit } from '#gateway/submit/admit.ts';
import type { renameOurs } from '#runtime/files/rename.ts';
import { type Defect, importWithDefect } from '../mutant.ts';

/** What submits, each importing the next. */
const SUBMITTING = [
  'gateway.ts',
  'work.ts',
  'submit/submit.ts',
  'submit/turn.ts',
  'submit/send.ts',
  'submit/acts.ts',
  'submit/idempotency-key.ts',
  'submit/admit.ts',
  'submit/history.ts',
  'submit/find-existing.ts',
  'submit/response.ts',
  'submit/scheduler.ts',
  'submit/examine.ts',
];

/** What takes homes up. */
const TAKING_UP = [
  'gateway.ts',
  'base.ts',
  'work.ts',
  'spool/open-custody.ts',
  'spool/recover.ts',
  'spool/inbox.ts',
  'spool/taking.ts',
  'spool/sight.ts',
  'spool/elsewhere.ts',
  'spool/unfinished.ts',
  'spool/take-into-custody.ts',
  'publish/publish.ts',
  'publish/finish.ts',
  'publish/move.ts',
  'publish/staging.ts',
  'disk/incarnation.ts',
  'disk/carry.ts',
  'disk/spool-files.ts',
  'disk/paths.ts',
];

/** What deletes, and what closes and removes days of the archive. */
const KEEPING = ['gateway.ts', 'work.ts', 'retention/retention.ts', 'ledger/retention.ts', 'publish/pick-up.ts', 'archive/chain.ts'];

interface GatewayModule {
  readonly startGateway: typeof startGateway;
}

export async function defectiveGateway(...defects: Defect[]): Promise<typeof startGateway> {
  return gatewayOf(await importWithDefect(SUBMITTING, defects));
}

export async function defectiveTakeUp(...defects: Defect[]): Promise<typeof startGateway> {
  return gatewayOf(await importWithDefect(TAKING_UP, defects));
}

export async function defectiveKeeping(...defects: Defect[]): Promise<typeof startGateway> {
  return gatewayOf(await importWithDefect(KEEPING, defects));
}

export async function defectiveBudget(...defects: Defect[]): Promise<typeof startGateway> {
  return gatewayOf(await importWithDefect(['gateway.ts', 'base.ts', 'service/access.ts', 'service/budget.ts'], defects));
}

function gatewayOf(loaded: unknown): typeof startGateway {
  if (!exports<GatewayModule>(loaded, 'startGateway')) throw new Error('the copy starts no gateway');
  return loaded.startGateway;
}

interface AdmitModule {
  readonly admit: typeof admit;
}

export async function defectiveGate(...defects: Defect[]): Promise<typeof admit> {
  const loaded = await importWithDefect(['submit/admit.ts', 'ledger/pair-order.ts'], defects);
  if (!exports<AdmitModule>(loaded, 'admit')) throw new Error('the copy admits nothing');
  return loaded.admit;
}

interface CoreModule {
  readonly startCore: typeof startCore;
}

export async function defectiveCore(...defects: Defect[]): Promise<typeof startCore> {
  const loaded = await importWithDefect(['core.ts', 'operate/ended-cores.ts', 'transactions/ring-again.ts'], defects, 'core');
  if (!exports<CoreModule>(loaded, 'startCore')) throw new Error('the copy starts no core');
  return loaded.startCore;
}

interface PostgresModule {
  readonly openPostgres: typeof openPostgres;
}

export async function defectivePostgres(...defects: Defect[]): Promise<typeof openPostgres> {
  const loaded = await importWithDefect(['postgres/postgres.ts', 'postgres/claim.ts'], defects, 'engines');
  if (!exports<PostgresModule>(loaded, 'openPostgres')) throw new Error('the copy opens no database');
  return loaded.openPostgres;
}

interface BellModule {
  readonly BullmqBell: typeof BullmqBell;
}

export async function defectiveBell(...defects: Defect[]): Promise<typeof BullmqBell> {
  const loaded = await importWithDefect(['bullmq/bell.ts'], defects, 'engines');
  if (!exports<BellModule>(loaded, 'BullmqBell')) throw new Error('the copy has no bell');
  return loaded.BullmqBell;
}

interface RenameModule {
  readonly renameOurs: typeof renameOurs;
}

export async function defectiveRename(...defects: Defect[]): Promise<typeof renameOurs> {
  const loaded = await importWithDefect(['files/rename.ts'], defects, 'runtime');
  if (!exports<RenameModule>(loaded, 'renameOurs')) throw new Error('the copy renames nothing');
  return loaded.renameOurs;
}

function exports<Module>(loaded: unknown, name: keyof Module): loaded is Module {
  return typeof loaded === 'object' && loaded !== null && name in loaded;
}
