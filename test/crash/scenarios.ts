// What ERPs do, step by step, for the suites that let a gateway die at each call of it. A step that was not ended when it died is
// done again, as an ERP does that got no answer.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { invoice } from '../support/documents.ts';
import { homeOf, inSession, seeArrivals, seeReceipt, takeOutbox, type World, write } from '../support/faults/world.ts';
import { called, run } from '../support/sftp-clients.ts';

export interface Step {
  readonly act: (world: World, env: Readonly<Record<string, string>>) => Promise<void>;
  /** The file that it sends; whoever dies meanwhile may find it twice. */
  readonly file?: string;
}

export interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
}

const ONE = documentOf('S-1');
const TWO = documentOf('S-2');
const ONE_REPAIRED = documentOf('S-1', 'The amounts are right now.');
/** Its total does not add up, which the core refuses. */
const WRONG = Buffer.from(ONE.toString().replace(/(<cbc:PayableAmount[^>]*>)[^<]*/, '$19.99'));

export const SCENARIOS: readonly Scenario[] = [
  { name: 'an invoice by SFTP', steps: [upload('a.xml', ONE), receipt('a.xml', 'delivered'), arrivals(1)] },
  {
    name: 'a temporary name, then renamed',
    steps: [renamedUpload('a.xml', ONE), receipt('a.xml', 'delivered'), arrivals(1)],
  },
  { name: 'a folder drop', steps: [folderDrop('a.xml', ONE), receipt('a.xml', 'delivered'), arrivals(1)] },
  {
    name: 'an overwrite',
    steps: [
      upload('a.xml', ONE),
      receipt('a.xml', 'delivered'),
      arrivals(1),
      upload('b.xml', ONE_REPAIRED, '/inbox/overwrite'),
      receipt('b.xml', 'delivered'),
      arrivals(2),
    ],
  },
  {
    name: 'a refused document',
    steps: [upload('a.xml', WRONG), receipt('a.xml', 'refused'), upload('b.xml', ONE), receipt('b.xml', 'delivered'), arrivals(1)],
  },
  {
    name: 'a duplicate',
    steps: [upload('a.xml', ONE), receipt('a.xml', 'delivered'), upload('b.xml', ONE), receipt('b.xml', 'duplicate'), arrivals(1)],
  },
  {
    name: 'an incoming document, taken at once',
    steps: [
      upload('a.xml', ONE),
      arrivals(1),
      { act: takeOutbox },
      receipt('a.xml', 'delivered'),
      upload('b.xml', TWO),
      arrivals(2),
      { act: takeOutbox },
      receipt('b.xml', 'delivered'),
    ],
  },
  {
    name: 'two documents of one counterparty',
    steps: [upload('a.xml', ONE), upload('b.xml', TWO), receipt('a.xml', 'delivered'), receipt('b.xml', 'delivered'), arrivals(2)],
  },
  {
    name: 'receipts of status, taken at once',
    steps: [
      upload('a.xml', ONE),
      receipt('a.xml', 'delivered'),
      arrivals(1),
      upload('b.xml', TWO),
      receipt('b.xml', 'delivered'),
      arrivals(2),
    ],
  },
  {
    name: 'a broken upload, resumed',
    steps: [brokenUpload('a.xml', ONE), resumedUpload('a.xml', ONE), receipt('a.xml', 'delivered'), arrivals(1)],
  },
];

function documentOf(id: string, note = 'As agreed.'): Buffer {
  return Buffer.from(invoice({ id, note }));
}

function upload(file: string, bytes: Buffer, folder = '/inbox'): Step {
  return { file, act: (world) => inSession(world, 'erp', (sftp) => write(sftp, `${folder}/${file}`, bytes)) };
}

function renamedUpload(file: string, bytes: Buffer): Step {
  return {
    file,
    act: (world) =>
      inSession(world, 'erp', async (sftp) => {
        await write(sftp, `/inbox/${file}.part`, bytes);
        await called((done) => sftp.rename(`/inbox/${file}.part`, `/inbox/${file}`, done));
      }),
  };
}

/** The connection is lost in the middle. */
function brokenUpload(file: string, bytes: Buffer): Step {
  return {
    act: (world) =>
      inSession(world, 'erp', async (sftp) => {
        const handle = await called<Buffer>((done) => sftp.open(`/inbox/${file}`, 'w', done));
        await called((done) => sftp.write(handle, bytes, 0, bytes.length >> 1, 0, done));
      }),
  };
}

/** As clients do: they go on behind what is there. */
function resumedUpload(file: string, bytes: Buffer): Step {
  return {
    file,
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
function folderDrop(file: string, bytes: Buffer): Step {
  return {
    file,
    async act(world, env) {
      const inbox = homeOf(world, 'seller', 'inbox');
      const path = join(inbox, file);
      if (existsSync(path)) return;
      const program = 'dd of="$1.tmp" conv=fsync status=none && mv "$1.tmp" "$1" && sync "$2"';
      const ran = await run('/bin/sh', ['-c', program, 'drop', path, inbox], bytes.toString(), env);
      if (ran.status !== 0) throw new Error(ran.err);
    },
  };
}

function receipt(file: string, stage: string): Step {
  return { act: (world) => seeReceipt(world, file, stage) };
}

function arrivals(count: number): Step {
  return { act: (world) => seeArrivals(world, count) };
}
