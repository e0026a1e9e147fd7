// What ERPs do, step by step, for the suites that let a gateway die at each call of it. A step that was not ended when it died is
// done again, as an ERP does that got no answer.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { invoice } from '../support/documents.ts';
import { homeOf, inSession, seeArrival, seeReceipt, takeOutbox, type World, write } from '../support/faults/world.ts';
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

/** One after the other in one world, so each has documents of its own. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'an invoice by SFTP, until it is delivered',
    steps: [upload('sent.xml', documentOf('SENT')), receipt('sent.xml', 'delivered'), arrival('SENT')],
  },
  {
    name: 'a temporary name, then renamed',
    steps: [renamedUpload('renamed.xml', documentOf('RENAMED')), receipt('renamed.xml', 'delivered'), arrival('RENAMED')],
  },
  {
    name: 'a folder drop',
    steps: [folderDrop('dropped.xml', documentOf('DROPPED')), receipt('dropped.xml', 'delivered'), arrival('DROPPED')],
  },
  {
    name: 'an overwrite',
    steps: [
      upload('before.xml', documentOf('OVERWRITTEN')),
      receipt('before.xml', 'delivered'),
      arrival('OVERWRITTEN'),
      upload('after.xml', documentOf('OVERWRITTEN', 'The amounts are right now.'), '/inbox/overwrite'),
      receipt('after.xml', 'delivered'),
      arrival('OVERWRITTEN', 2),
    ],
  },
  {
    name: 'a refused document',
    steps: [
      upload('wrong.xml', wrong('REFUSED')),
      receipt('wrong.xml', 'refused'),
      upload('right.xml', documentOf('REFUSED')),
      receipt('right.xml', 'delivered'),
      arrival('REFUSED'),
    ],
  },
  {
    name: 'a duplicate',
    steps: [
      upload('first.xml', documentOf('TWICE')),
      receipt('first.xml', 'delivered'),
      upload('again.xml', documentOf('TWICE')),
      receipt('again.xml', 'duplicate'),
      arrival('TWICE'),
    ],
  },
  {
    name: 'incoming documents, taken at once',
    steps: [
      upload('one.xml', documentOf('TAKEN-1')),
      arrival('TAKEN-1'),
      { act: takeOutbox },
      receipt('one.xml', 'delivered'),
      upload('two.xml', documentOf('TAKEN-2')),
      arrival('TAKEN-2'),
      { act: takeOutbox },
      receipt('two.xml', 'delivered'),
    ],
  },
  {
    name: 'two documents of one counterparty',
    steps: [
      upload('earlier.xml', documentOf('EARLIER')),
      upload('later.xml', documentOf('LATER')),
      receipt('earlier.xml', 'delivered'),
      receipt('later.xml', 'delivered'),
      arrival('EARLIER'),
      arrival('LATER'),
    ],
  },
  {
    name: 'a refused document, sent again',
    steps: [
      upload('stubborn.xml', wrong('STUBBORN')),
      receipt('stubborn.xml', 'refused'),
      sentAgain('stubborn', 'once-more.xml'),
      receipt('once-more.xml', 'refused'),
    ],
  },
  {
    name: 'a broken upload, resumed',
    steps: [
      brokenUpload('resumed.xml', documentOf('RESUMED')),
      resumedUpload('resumed.xml', documentOf('RESUMED')),
      receipt('resumed.xml', 'delivered'),
      arrival('RESUMED'),
    ],
  },
];

function documentOf(id: string, note = 'As agreed.'): Buffer {
  return Buffer.from(invoice({ id, note }));
}

/** Its total does not add up, which the core refuses. */
function wrong(id: string): Buffer {
  return Buffer.from(
    documentOf(id)
      .toString()
      .replace(/(<cbc:PayableAmount[^>]*>)[^<]*/, '$19.99'),
  );
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

/** Moved from refused/ back to the inbox, by a person who does not believe it. */
function sentAgain(original: string, file: string): Step {
  return {
    file,
    act: (world) =>
      inSession(world, 'erp', async (sftp) => {
        const refused = await called<{ filename: string }[]>((done) => sftp.readdir('/refused', done));
        const found = refused.find(({ filename }) => filename.startsWith(`${original}.`));
        if (found) await called((done) => sftp.rename(`/refused/${found.filename}`, `/inbox/${file}`, done));
      }),
  };
}

function receipt(file: string, stage: string): Step {
  return { act: (world) => seeReceipt(world, file, stage) };
}

function arrival(id: string, versions = 1): Step {
  return { act: (world) => seeArrival(world, id, versions) };
}
