// Our gateway, and parts of it, with a defect, to show that a test finds it.

import type { startGateway } from '#gateway/gateway.ts';
import type { passGate } from '#gateway/submit/admit.ts';
import { type Defect, importWithDefect } from '../mutant.ts';

/** What submits, each importing the next. */
const SUBMITTING = [
  'gateway.ts',
  'submit/submit.ts',
  'submit/attempt.ts',
  'submit/gate.ts',
  'submit/history.ts',
  'submit/prior.ts',
  'submit/answers.ts',
  'submit/rota.ts',
  'submit/examine.ts',
];

interface GatewayModule {
  readonly startGateway: typeof startGateway;
}

export async function defectiveGateway(...defects: Defect[]): Promise<typeof startGateway> {
  return gatewayOf(await importWithDefect(SUBMITTING, defects));
}

export async function defectiveBudget(...defects: Defect[]): Promise<typeof startGateway> {
  return gatewayOf(await importWithDefect(['gateway.ts', 'service/budget.ts'], defects));
}

function gatewayOf(loaded: unknown): typeof startGateway {
  if (!exports<GatewayModule>(loaded, 'startGateway')) throw new Error('the copy starts no gateway');
  return loaded.startGateway;
}

interface GateModule {
  readonly passGate: typeof passGate;
}

export async function defectiveGate(...defects: Defect[]): Promise<typeof passGate> {
  const loaded = await importWithDefect(['submit/gate.ts', 'ledger/turns.ts'], defects);
  if (!exports<GateModule>(loaded, 'passGate')) throw new Error('the copy has no gate');
  return loaded.passGate;
}

function exports<Module>(loaded: unknown, name: keyof Module): loaded is Module {
  return typeof loaded === 'object' && loaded !== null && name in loaded;
}
