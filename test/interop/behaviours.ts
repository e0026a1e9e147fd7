// The table of behaviours: what every client must manage, whatever its way.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { connect, type Ran } from '../support/sftp-clients.ts';
import { RawSftp } from '../support/sftp-raw.ts';
import { until } from '../support/until.ts';
import { ANSWERS } from './answers.ts';
import type { Verbs } from './client.ts';
import { close, open, WRITE_ANEW } from './packets.ts';
import { type Behaviour, type Play, well } from './play.ts';
import { REFUSALS } from './refusals.ts';
import { startRelay } from './relay.ts';
import type { Stage } from './stage.ts';
import { VERDICTS } from './verdicts.ts';

const MEBIBYTE = 2 ** 20;
const LISTED = 10_000;
const AT_ONCE = 8;

export const BEHAVIOURS: readonly Behaviour[] = [
  {
    title: 'small upload',
    needs: ['put'],
    show: (play) => bring(play, play.stage.invoice(), (verbs, local, remote) => verbs.put(play.stage.door, local, remote)),
  },
  {
    title: '19 MB',
    needs: ['put'],
    show: (play) => bring(play, play.stage.invoice(19 * MEBIBYTE), (verbs, local, remote) => verbs.put(play.stage.door, local, remote)),
  },
  {
    title: 'empty file',
    needs: ['put'],
    async show({ stage, verbs }) {
      const name = stage.name();
      well(await verbs.put(stage.door, stage.local(Buffer.alloc(0)), `/inbox/${name}`));
      await stage.receipts(name, 'refused');
    },
  },
  {
    title: 'over the limit',
    needs: ['put'],
    async show({ stage, client, verbs }) {
      const name = stage.name();
      const before = stage.daemon.spooled().length;
      const ran = await verbs.put(stage.door, stage.local(stage.invoice(20 * MEBIBYTE + 1)), `/inbox/${name}`);
      expect(ran.status, ran.out + ran.err).not.toBe(0);
      if (client.showsSentences) expect(ran.out + ran.err).toContain('file is larger than 20 MiB, the limit of this server');
      await until('nothing of it to be left', () => stage.daemon.spooled().length <= before);
      expect(stage.receiptsOf(name)).toEqual([]);
      return client.showsSentences ? undefined : 'status only';
    },
  },
  {
    title: 'temporary name, rename',
    needs: ['putBeside'],
    show: (play) =>
      bring(play, play.stage.invoice(300_000), (verbs, local, remote) => verbs.putBeside(play.stage.door, local, `${remote}.tmp`, remote)),
  },
  {
    title: 'connection lost',
    needs: ['put'],
    async show(play) {
      const { stage, verbs } = play;
      const name = stage.name();
      const local = stage.local(stage.invoice(8 * MEBIBYTE));
      await breakOff(play, local, name);
      expect(stage.receiptsOf(name)).toEqual([]);
      well(await verbs.put(stage.door, local, `/inbox/${name}`));
      await whole(stage, name, [readFileSync(local)]);
    },
  },
  {
    title: 'resume',
    needs: ['put', 'resume'],
    async show(play) {
      const { stage, verbs } = play;
      const name = stage.name();
      const local = stage.local(stage.invoice(8 * MEBIBYTE));
      await breakOff(play, local, name);
      well(await verbs.resume(stage.door, local, `/inbox/${name}`));
      await whole(stage, name, [readFileSync(local)]);
    },
  },
  {
    title: 'a name in flight',
    needs: ['put'],
    async show({ stage, verbs }) {
      const name = stage.name();
      const [mine, theirs] = [stage.invoice(), stage.invoice(200_000)];
      const other = await connect(stage.door);
      try {
        const sftp = await RawSftp.open(other);
        const handle = await open(sftp, `/inbox/${name}`, WRITE_ANEW);
        await sftp.write(handle, 0, mine.subarray(0, 1_000));
        well(await verbs.put(stage.door, stage.local(theirs), `/inbox/${name}`));
        await sftp.write(handle, 1_000, mine.subarray(1_000));
        await close(sftp, handle);
        await whole(stage, name, [mine, theirs]);
      } finally {
        other.end();
      }
    },
  },
  {
    title: 'times and mode',
    needs: ['putKeeping'],
    show: (play) => bring(play, play.stage.invoice(), (verbs, local, remote) => verbs.putKeeping(play.stage.door, local, remote)),
  },
  {
    title: 'letters beyond ASCII',
    needs: ['put'],
    async show({ stage, verbs }) {
      const name = stage.name('faktura åäö №1 (kopia).xml');
      const bytes = stage.invoice();
      well(await verbs.put(stage.door, stage.local(bytes), `/inbox/${name}`));
      await whole(stage, name, [bytes]);
    },
  },
  {
    title: '10,000 files listed',
    needs: ['list'],
    async show({ stage, verbs }) {
      const ran = well(await verbs.list(stage.door, '/outbox'));
      expect(new Set(ran.out.match(/listed-\d{5}\.xml/g)).size).toBe(LISTED);
    },
  },
  {
    title: 'download',
    needs: ['get'],
    async show({ stage, verbs }) {
      const [name, bytes, local] = [stage.name(), stage.invoice(3 * MEBIBYTE + 1), stage.nowhere()];
      stage.place(name, bytes);
      well(await verbs.get(stage.door, `/outbox/${name}`, local));
      expect(readFileSync(local).equals(bytes)).toBe(true);
    },
  },
  {
    title: 'rename to .downloading',
    needs: ['rename'],
    async show({ stage, verbs }) {
      const name = stage.name();
      stage.place(name, stage.invoice());
      well(await verbs.rename(stage.door, `/outbox/${name}`, `/outbox/${name}.downloading`));
      expect(stage.daemon.files('seller', 'outbox').filter((each) => each.startsWith(name))).toEqual([`${name}.downloading`]);
    },
  },
  {
    title: 'delete',
    needs: ['remove'],
    async show({ stage, verbs }) {
      const name = stage.name();
      stage.place(name, stage.invoice());
      well(await verbs.remove(stage.door, `/outbox/${name}`));
      expect(stage.daemon.files('seller', 'outbox')).not.toContain(name);
    },
  },
  {
    title: 'exit status',
    needs: ['get'],
    async show({ stage, verbs }) {
      const name = stage.name();
      stage.place(name, stage.invoice());
      expect((await verbs.get(stage.door, `/outbox/${name}`, stage.nowhere())).status).toBe(0);
      expect((await verbs.get(stage.door, '/outbox/not-there.xml', stage.nowhere())).status).not.toBe(0);
    },
  },
  {
    title: 'refused elsewhere',
    needs: ['put'],
    async show({ stage, client, verbs }) {
      const ran = await verbs.put(stage.door, stage.local(stage.invoice()), `/outbox/${stage.name()}`);
      expect(ran.status, ran.out + ran.err).not.toBe(0);
      const shows = client.showsSentences === true;
      if (shows) expect(ran.out + ran.err).toContain('files can be put into inbox only');
      return shows ? undefined : 'status only';
    },
  },
  ...REFUSALS.map(
    ({ title, login, sentence, isFailure }): Behaviour => ({
      title,
      needs: ['put'],
      async show({ stage, client, verbs }) {
        const ran = await verbs.put(stage.refusing(login), stage.local(stage.invoice()), `/inbox/${stage.name()}`);
        expect(ran.status, ran.out + ran.err).not.toBe(0);
        const shows = client.showsSentences === true || (client.showsSentences === 'of failures' && isFailure);
        if (shows) expect(ran.out + ran.err).toContain(sentence);
        return shows ? undefined : 'status only';
      },
    }),
  ),
  ...VERDICTS,
  ...ANSWERS,
  {
    title: "scp's old protocol",
    needs: ['scp'],
    async show({ stage, verbs }) {
      const logged = (): number =>
        stage.daemon.facts().filter(({ event, command }) => event === 'sftp.command' && command === 'scp').length;
      const [name, before] = [stage.name(), logged()];
      const ran = await verbs.scp(stage.door, stage.local(stage.invoice()), `/inbox/${name}`);
      expect(ran.status, ran.out + ran.err).not.toBe(0);
      await until('a line in the log', () => logged() > before);
      expect(stage.receiptsOf(name)).toEqual([]);
      return 'refused';
    },
  },
  {
    title: 'new keys on the way',
    needs: ['putRekeying'],
    show: (play) =>
      bring(play, play.stage.invoice(8 * MEBIBYTE), (verbs, local, remote) => verbs.putRekeying(play.stage.door, local, remote)),
  },
  {
    title: '8 sessions at once',
    needs: ['put'],
    async show({ stage, verbs }) {
      const files = Array.from({ length: AT_ONCE }, () => ({ name: stage.name(), bytes: stage.invoice(500_000) }));
      const all = await Promise.all(files.map(({ name, bytes }) => verbs.put(stage.door, stage.local(bytes), `/inbox/${name}`)));
      all.forEach(well);
      for (const { name, bytes } of files) await whole(stage, name, [bytes]);
    },
  },
];

/** What the listing lists; once, before all. */
export function fillOutbox(stage: Stage): void {
  for (let at = 0; at < LISTED; at++) stage.place(`listed-${String(at).padStart(5, '0')}.xml`, Buffer.from('<x/>'));
}

/** Uploads by `put`, finds the client content, and the document accepted once, with the same bytes. */
async function bring(
  { stage, verbs }: Play,
  bytes: Buffer,
  put: (verbs: Verbs, local: string, remote: string) => Promise<Ran>,
): Promise<void> {
  const name = stage.name();
  well(await put(verbs, stage.local(bytes), `/inbox/${name}`));
  await whole(stage, name, [bytes]);
}

async function whole(stage: Stage, name: string, documents: readonly Buffer[]): Promise<void> {
  await stage.receipts(name, 'accepted', documents.length);
  await until('the originals', () => stage.accepted(name).length >= documents.length);
  const bySize = (some: readonly Buffer[]): Buffer[] => some.toSorted((a, b) => a.length - b.length);
  const there = bySize(stage.accepted(name));
  expect(there.map(({ length }) => length)).toEqual(bySize(documents).map(({ length }) => length));
  expect(bySize(documents).every((bytes, at) => there[at]?.equals(bytes))).toBe(true);
  expect(stage.receiptsOf(name).filter((receipt) => receipt.includes('.accepted.'))).toHaveLength(documents.length);
}

/** An upload whose connection is cut in the middle: the client notices, and the server keeps what came for a resume. */
async function breakOff({ stage, verbs }: Play, local: string, name: string): Promise<void> {
  const broken = (): number => stage.daemon.facts().filter(({ event }) => event === 'upload.broken').length;
  const before = broken();
  using relay = await startRelay(stage.daemon.port, 3 * MEBIBYTE);
  const ran = await verbs.put(stage.doorAt(relay.port), local, `/inbox/${name}`);
  expect(relay.hasCut).toBe(true);
  expect(ran.status, ran.out + ran.err).not.toBe(0);
  await until('the server to notice', () => broken() > before);
}
