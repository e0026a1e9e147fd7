// Whether a gateway will be let in among those that work on its database: what a start asks there, asked without taking part. Nothing is changed.
import { readProcesses } from '#gateway/ledger/hands.ts';
import { readNodes } from '#gateway/ledger/nodes.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { unlikeOf } from '#gateway/nodes/folder.ts';
import { besideNameless, nameTaken } from '#gateway/nodes/join.ts';
import { namelessAmongNodes, placeOf } from '#gateway/spool/hands.ts';
import { controlPath, isListenedTo } from '#installation/control-path.ts';
import { askGatewayLedger } from '#installation/gateway-ledger.ts';
import type { Config } from '#runtime/config/config.ts';

interface AmongNodes {
  /** Why it is not let in; undefined where it is, and where nobody can be asked. */
  readonly refusal: string | undefined;
  /** A node of this name lives on another machine, or works on another folder: the lock of the name is that one's, not of a daemon here. */
  readonly isElsewhere: boolean;
  /** Its data folder is not the one that the nodes share: what it misses there is not lost. */
  readonly isFolderUnlike: boolean;
}

export const ALONE: AmongNodes = { refusal: undefined, isElsewhere: false, isFolderUnlike: false };

/** To be asked beside the node itself, too, which is let in. */
export async function lookAmongNodes(config: Config): Promise<AmongNodes> {
  if (config.role === 'core' || config.database.url === null) return ALONE;
  try {
    return (await askGatewayLedger(config, (ledger) => look(config, ledger))) ?? ALONE;
  } catch {
    // A server that does not answer is told of by the look at the ledgers.
    return ALONE;
  }
}

async function look(config: Config, ledger: Ledger): Promise<AmongNodes> {
  const { data, node } = config;
  const rows = ledger.read;
  const living = (await readNodes(rows)).filter(({ leftMs }) => leftMs >= 0);
  if (node === null) return living.length > 0 ? { ...ALONE, refusal: namelessAmongNodes(living).message } : ALONE;
  const unlike = await unlikeOf(rows, data);
  const isFolderUnlike = unlike !== undefined;
  for (const { incarnation, place, node: other } of await readProcesses(rows))
    if (other === null && (await ledger.isConnected(incarnation)))
      return { refusal: besideNameless(place).message, isElsewhere: false, isFolderUnlike };
  const named = living.find((each) => each.node === node);
  if (named && !(await isHere(config, named.place))) return { refusal: nameTaken(named).message, isElsewhere: true, isFolderUnlike };
  return { refusal: unlike, isElsewhere: false, isFolderUnlike };
}

/** By its place, also while it starts and has no socket yet; by its socket where the machine has got another name since, or a link leads to the folder. */
async function isHere(config: Config, place: string): Promise<boolean> {
  if (place === placeOf(config.data)) return true;
  const socket = controlPath(config);
  return socket !== undefined && isListenedTo(socket);
}
