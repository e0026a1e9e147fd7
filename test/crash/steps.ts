// What ERPs and administrators do, step by step, in the scenarios. A step that was not ended when the gateway died is done again, as by
// somebody who got no answer.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { EXIT_STATUS } from '#cli/exit-status.ts';
import type { DaemonAccount } from '../support/daemon.ts';
import type { DocumentOptions } from '../support/document-options.ts';
import { documentOf as anyDocument, invoice } from '../support/documents.ts';
import { arrivedAt, inSession, seeArrival, seeReceipt, type World, write } from '../support/faults/world.ts';
import { MAIN } from '../support/program.ts';
import { called, run } from '../support/sftp-clients.ts';
import { command } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { type Account, addressOf, type Home, INBOXES } from './people.ts';

export interface Step {
  readonly act: (world: World, env: Readonly<Record<string, string>>) => Promise<unknown>;
  /** The file that it sends, as HOME/NAME; whoever dies meanwhile may find it twice. */
  readonly file?: string;
}

export interface Scenario {
  readonly name: string;
  /** Where the answer that ends it at once is lost, its item is told to be delayed before. */
  readonly mayBeDelayed?: boolean;
  readonly steps: readonly Step[];
}

/** From the seller to the buyer unless it is said otherwise. */
export function documentOf(id: string, from: Account = 'seller', to: Account = 'buyer', more: DocumentOptions = {}): Buffer {
  return Buffer.from(invoice({ id, note: 'As agreed.', sender: addressOf(from), receiver: addressOf(to), ...more }));
}

/** From the buyer to the seller. */
export function orderOf(id: string): Buffer {
  return Buffer.from(anyDocument('Order', { id, note: 'As agreed.', sender: addressOf('buyer'), receiver: addressOf('seller') }));
}

/** Its total does not add up, which the core refuses. */
export function wrong(id: string): Buffer {
  return Buffer.from(
    documentOf(id)
      .toString()
      .replace(/(<cbc:PayableAmount[^>]*>)[^<]*/, '$19.99'),
  );
}

/** A date of it is in another form. */
export function slipped(id: string): Buffer {
  return Buffer.from(
    documentOf(id)
      .toString()
      .replace(/(<cbc:IssueDate>)(\d+)-(\d+)-(\d+)/, '$1$4.$3.$2'),
  );
}

/** `folder`: below the inbox. */
export function upload(file: string, bytes: Buffer, home: Home = 'seller', folder = ''): Step {
  const { login, inbox } = INBOXES[home];
  return { file: `${home}/${file}`, act: (world) => inSession(world, login, (sftp) => write(sftp, join(inbox, folder, file), bytes)) };
}

export function renamedUpload(file: string, bytes: Buffer, login = 'erp'): Step {
  return {
    file: `seller/${file}`,
    act: (world) =>
      inSession(world, login, async (sftp) => {
        await write(sftp, `/inbox/${file}.part`, bytes);
        await called((done) => sftp.rename(`/inbox/${file}.part`, `/inbox/${file}`, done));
      }),
  };
}

/** Judged, and never sent; whoever is told to test it again later does so: where the clock hurries, a test may take too long. */
export function tested(file: string, bytes: Buffer): Step {
  const test = (world: World): Promise<boolean> =>
    inSession(world, 'answers', (sftp) => write(sftp, `/inbox/test/${file}`, bytes)).then(
      () => true,
      (error: unknown) => {
        if (String(error).includes('test it again later')) return false;
        throw error;
      },
    );
  return { file: `seller/${file}`, act: (world) => until(`${file} to be tested`, () => test(world), world.patienceMs) };
}

/** Of a login with verdicts at CLOSE: the upload itself fails, and nothing of it is anywhere. */
export function refusedUpload(file: string, bytes: Buffer): Step {
  return {
    act: (world) =>
      inSession(world, 'strict', async (sftp) => {
        await mustBeRefused(write(sftp, `/inbox/${file}`, bytes));
        nothingIsLeft(world, file);
      }),
  };
}

/** Of the same login: the file lies in the inbox under a temporary name, and the rename that would send it fails. Who asks again finds it or not. */
export function refusedRename(file: string, bytes: Buffer): Step[] {
  const temporary = `${file}.part`;
  return [
    { act: (world) => inSession(world, 'strict', (sftp) => write(sftp, `/inbox/${temporary}`, bytes)) },
    {
      act: (world) =>
        inSession(world, 'strict', async (sftp) => {
          const there = await called<{ filename: string }[]>((done) => sftp.readdir('/inbox', done));
          if (there.some(({ filename }) => filename === temporary)) {
            await mustBeRefused(called<void>((done) => sftp.rename(`/inbox/${temporary}`, `/inbox/${file}`, done)));
          }
          nothingIsLeft(world, file);
        }),
    },
  ];
}

function nothingIsLeft(world: World, file: string): void {
  const left = readdirSync(join(world.data, 'spool'), { recursive: true, encoding: 'utf8' }).filter((path) => path.includes(file));
  if (left.length > 0) throw new Error(`of ${file} there still is ${left}`);
}

/** The same by a client that does not look at the answer: it finds a receipt. */
export function refusedUnheard(file: string, bytes: Buffer): Step {
  return {
    file: `seller/${file}`,
    act: (world) => inSession(world, 'strict', (sftp) => mustBeRefused(write(sftp, `/inbox/${file}`, bytes)), { ident: 'libssh2_1.10.0' }),
  };
}

async function mustBeRefused(put: Promise<unknown>): Promise<void> {
  const told = await put.then(
    () => 'OK',
    (error: unknown) => String(error),
  );
  if (!told.includes('nothing was taken')) throw new Error(`it was to be refused, and the client was told: ${told}`);
}

/** The connection is lost in the middle. */
export function brokenUpload(file: string, bytes: Buffer): Step {
  return {
    act: (world) =>
      inSession(world, 'erp', async (sftp) => {
        const handle = await called<Buffer>((done) => sftp.open(`/inbox/${file}`, 'w', done));
        await called((done) => sftp.write(handle, bytes, 0, bytes.length >> 1, 0, done));
      }),
  };
}

/** As clients do: they go on behind what is there. */
export function resumedUpload(file: string, bytes: Buffer): Step {
  return {
    file: `seller/${file}`,
    act: (world) =>
      inSession(world, 'erp', async (sftp) => {
        const size = await called<{ size: number }>((done) => sftp.stat(`/inbox/${file}`, done)).then(
          (stats) => stats.size,
          () => 0,
        );
        await write(sftp, `/inbox/${file}`, bytes, size);
      }),
  };
}

/** A careful program on the same machine: it writes and syncs beside, renames, syncs the folder. */
export function folderDrop(file: string, bytes: Buffer, home: Home = 'seller'): Step {
  return {
    file: `${home}/${file}`,
    async act(world, env) {
      const inbox = world.home(home, 'inbox');
      const path = join(inbox, file);
      if (existsSync(path)) return;
      const program = 'dd of="$1.tmp" conv=fsync status=none && mv "$1.tmp" "$1" && sync "$2"';
      const ran = await run('/bin/sh', ['-c', program, 'drop', path, inbox], bytes.toString(), env);
      if (ran.status !== 0) throw new Error(ran.err);
    },
  };
}

/** An order that was received is moved to be answered; `answer` may name a folder that is made for the reason, as `reject/too dear`. */
export function ordered(id: string, answer: string, file: string): Step {
  return { act: (world) => movedFrom(world, 'outbox', (name) => name.includes(`_Order_${id}_`), `/answer/${answer}/${file}`) };
}

/** The same order once more, from where it lies since it was answered. */
export function orderedAgain(original: string, answer: string, file: string): Step {
  return { act: (world) => movedFrom(world, 'accepted', (name) => name.startsWith(`${original}.`), `/answer/${answer}/${file}`) };
}

/** What was moved already is not there any more. */
function movedFrom(world: World, folder: string, isMeant: (name: string) => boolean, to: string): Promise<void> {
  return inSession(world, 'answers', async (sftp) => {
    const found = await called<{ filename: string }[]>((done) => sftp.readdir(`/${folder}`, done));
    const file = found.find(({ filename }) => isMeant(filename));
    if (!file) return;
    // A folder for a reason may be there from the last try.
    if (to.split('/').length > 4) await called((done) => sftp.mkdir(dirname(to), done)).catch(() => undefined);
    await called((done) => sftp.rename(`/${folder}/${file.filename}`, to, done));
  });
}

/** Moved from refused/ back to the inbox, by a person who does not believe it. */
export function sentAgain(original: string, file: string): Step {
  return moved((name) => name.startsWith(`${original}.`) && !name.includes('.suggested.'), file);
}

/** A suggested repair is sent, by a person who has looked at it. */
export function suggested(original: string, file: string): Step {
  return moved((name) => name.startsWith(`${original}.`) && name.includes('.suggested.'), file);
}

function moved(isMeant: (name: string) => boolean, file: string): Step {
  const isMoved = (name: string): boolean => name.startsWith(`${file}.`);
  return {
    file: `seller/${file}`,
    async act(world) {
      const isThere = (): boolean => world.files('seller', 'refused').some(isMeant) || world.files('seller', 'receipts').some(isMoved);
      await until(`what is moved to ${file}`, isThere, world.patienceMs);
      await movedFrom(world, 'refused', isMeant, `/inbox/${file}`);
    },
  };
}

export function receipt(file: string, stage: string, home: Home = 'seller', times = 1): Step {
  return { act: (world) => seeReceipt(world, home, file, stage, times) };
}

/** So many responses to the seller's answers have come to the buyer. */
export function responses(order: string, count: number): Step {
  return {
    act: (world) => {
      const come = (): string[] => [...arrivedAt(world, 'buyer').keys()].filter((name) => name.includes(`_OrderResponse_${order}-`));
      return until(`${count} responses to ${order}`, () => come().length >= count, world.patienceMs);
    },
  };
}

export function arrival(id: string, versions = 1, home: Home = 'buyer'): Step {
  return { act: (world) => seeArrival(world, home, id, versions) };
}

/** The service ends a link, of which the gateway is not told. */
export function linkEnds(partner: string, account: Account): Step {
  return {
    async act(world, env) {
      // The daemon that answers there would change the gateway's ledger as well.
      const [socket, aside] = [join(world.data, 'control.sock'), join(dirname(world.data), 'control.sock')];
      if (existsSync(socket)) renameSync(socket, aside);
      try {
        await commanded(world, env, { role: 'core' }, 'partner', 'unlink', partner, account);
      } finally {
        if (existsSync(aside)) renameSync(aside, socket);
      }
    },
  };
}

/** The administrator links an account to a partner, again. */
export function linked(partner: string, account: Account): Step {
  return { act: (world, env) => commanded(world, env, {}, 'partner', 'link', partner, account) };
}

/** The administrator sends on its way again what is held of an account, until a file of it is accepted: the gateway may hear a little later that it may. */
export function resentUntilAccepted(account: Account, home: Home, file: string): Step {
  const isAccepted = (name: string): boolean => name.startsWith(`${file}.`) && name.endsWith('.accepted.json');
  return {
    act: async (world, env) => {
      const isDone = async (): Promise<boolean> => {
        if (world.files(home, 'receipts').some(isAccepted)) return true;
        const held = await commanded(world, env, {}, 'items', '--account', account, '--state', 'held', '--json');
        for (const line of held.split('\n').filter((each) => each !== '')) await commanded(world, env, {}, 'resend', JSON.parse(line).item);
        return false;
      };
      await until(`${file} to be accepted`, isDone, world.patienceMs);
    },
  };
}

/** The archive has what was sent under this name, and its receipts of these stages. */
export function archived(file: string, account: Account, stages: readonly string[]): Step {
  return {
    act: async (world) => {
      const names = readdirSync(join(world.data, 'archive', account), { recursive: true, encoding: 'utf8' }).map((path) => basename(path));
      const isOriginal = (name: string): boolean => name.startsWith(`${file.slice(0, file.lastIndexOf('.'))}.`) && name.endsWith('.xml');
      const isReceipt = (name: string, stage: string): boolean => name.startsWith(`${file}.`) && name.includes(`.${stage}.`);
      const missing = stages.filter((stage) => !names.some((name) => isReceipt(name, stage)));
      if (!names.some(isOriginal) || missing.length > 0) throw new Error(`the archive lacks ${file} or its receipts ${missing}: ${names}`);
    },
  };
}

/** The administrator erases an account, which is not served any more, with its archive. */
export function erased(account: Account): Step[] {
  return [
    { act: (world, env) => commanded(world, env, {}, 'account', 'disable', account) },
    { act: (world, env) => commanded(world, env, {}, 'account', 'erase', account, '--archive', '--yes') },
  ];
}

/** Below the data folder nothing has this text in its name or its bytes, and the account has no folder. */
export function nothingOf(account: Account, text: string): Step {
  return {
    act: async ({ data }) => {
      const entries = readdirSync(data, { recursive: true, withFileTypes: true });
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const left = paths.filter((path) => path.includes(text) || path.includes(`/${account}/`) || readFileSync(path).includes(text));
      if (left.length > 0) throw new Error(`of ${account} there still is ${left.map((path) => path.slice(data.length)).join(', ')}`);
    },
  };
}

/** The administrator declares an account anew. */
export function declared({ accountRegNo, participants, receiving }: DaemonAccount): Step {
  return {
    act: (world, env) => {
      const file = join(dirname(world.data), 'declared.yaml');
      writeFileSync(file, stringify({ accounts: [{ accountRegNo, name: accountRegNo, participants, home: { receiving } }] }));
      return commanded(world, env, {}, 'apply', file);
    },
  };
}

/**
 * Runs the command line: as a process of its own where its calls are written down, otherwise here, at a fraction of the time. What was to be
 * done and is done already is well.
 */
async function commanded(world: World, env: Readonly<Record<string, string>>, config: object, ...args: string[]): Promise<string> {
  const file = join(dirname(world.data), 'administrator.yaml');
  writeFileSync(file, stringify({ data: world.data, ...(world.database !== undefined && { database: world.database }), ...config }));
  const all = [...args, '--config', file];
  const { status, out, err } = await (env.LD_PRELOAD === undefined ? command(all) : run(process.execPath, [MAIN, ...all], '', env));
  if (status !== 0 && status !== EXIT_STATUS.missing) throw new Error(err);
  return out;
}
