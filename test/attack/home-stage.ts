// A gateway with two homes, and beside them a folder that nobody but the machine's own users may see: what programs in a home lead it to.
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { homeFolder } from '#gateway/disk/paths.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { manualClock } from '../support/clock.ts';
import { refusal } from '../support/scripted-service.ts';
import type { StandIn } from '../support/stand-in/stand-in.ts';
import { standIn } from '../support/world/services.ts';
import { startWorld, type World } from '../support/world/world.ts';

export const ACCOUNT = 'acme-ab';
export const OTHER = 'beta-as';
export const SECRET = 'nobody may read this';
export const KEY = 'secret.key';
export const DAY_MS = 86_400_000;

export interface HomeStage {
  readonly world: World;
  readonly service: StandIn;
  readonly vault: string;
  inHome(...below: string[]): string;
  /** Puts a link to the vault in place of a folder, and takes it away again. */
  lead(folder: string): void;
  mend(folder: string): void;
  /** What the vault holds: name and content. */
  inVault(): Record<string, string>;
  pass(ms: number): Promise<void>;
  /** The service refuses every document for good from now on, or no more. */
  refuse(isRefused: boolean): void;
  logged(event: string): number;
}

export async function startHomeStage(): Promise<HomeStage> {
  // So late that what is written now is older than anything is kept.
  const clock = manualClock(Date.now() + 400 * DAY_MS);
  const world = await startWorld(standIn({ clock, accounts: { [ACCOUNT]: 'key-a', [OTHER]: 'key-b' } }), {
    clock,
    accounts: { [OTHER]: 'key-b' },
    hinted: false,
    before: (on) => putAccount(on, ACCOUNT, 'key-a', { keepOutbox: DAY_MS, archive: 30 * DAY_MS }),
  });
  const { service } = world;
  const vault = mkdtempSync(join(tmpdir(), 'dropgate-vault-'));
  onTestFinished(() => rmSync(vault, { recursive: true }));
  writeFileSync(join(vault, KEY), SECRET);
  const inHome = (...below: string[]): string => join(homeFolder(world.data, ACCOUNT), ...below);
  return {
    world,
    service,
    vault,
    inHome,
    lead(folder) {
      renameSync(inHome(folder), inHome('.away'));
      symlinkSync(vault, inHome(folder));
    },
    mend(folder) {
      unlinkSync(inHome(folder));
      renameSync(inHome('.away'), inHome(folder));
    },
    inVault: () => Object.fromEntries(readdirSync(vault).map((name) => [name, readFileSync(join(vault, name), 'utf8')])),
    pass: (ms) => world.pass(ms, 30_000),
    refuse(isRefused) {
      service.manners.fault = ({ method, path }) =>
        isRefused && method === 'POST' && path.includes('outgoing')
          ? { does: false, answers: refusal(422, 'E_VALIDATION', { details: [] }) }
          : undefined;
    },
    logged: world.logged,
  };
}
