// A disk that fills up to the last byte, under every writer: with a little less room each time something else is the first that finds none, from
// uploads and ledgers to receipts, outboxes, the archive and the log. What was acknowledged arrives, once, when there is room again. DROPGATE_FULL_DISK is how often.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { amountOf } from '../support/amounts.ts';
import { isAlive, SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoiceOfSize } from '../support/documents.ts';
import { acceptancesOf, inSession, versionsOf, type World, worldOf, write } from '../support/faults/world.ts';
import { canMount, mountSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const ROUNDS = amountOf('DROPGATE_FULL_DISK');
const DISK_BYTES = 64 * 2 ** 20;
const PAGE_BYTES = 4_096;
const DOCUMENT_BYTES = 20_000;
const UPLOADS = 4;
const FULL_MS = 400;
const ARRIVES_WITHIN_MS = 600_000;

it.skipIf(!canMount())(
  `nothing that was acknowledged is lost, though the disk is full ${ROUNDS} times`,
  { timeout: 3_600_000 },
  async () => {
    using disk = mountSmallDisk(DISK_BYTES);
    await using daemon = await startDaemon({
      accounts: SELLER_AND_BUYER,
      parent: disk.folder,
      config: { gateway: { settle: '300ms', rescan: '1s', archive: '30d' } },
    });
    const acknowledged: string[] = [];
    const refused: string[] = [];
    const dropped: string[] = [];
    let ended = 0;
    const world = (): World => worldOf(daemon, ARRIVES_WITHIN_MS);
    for (let round = 0; round < ROUNDS; round++) {
      disk.fill(((round * 7) % 64) * PAGE_BYTES);
      const tries = Array.from({ length: UPLOADS }, (_, at) => upload(world(), `FULL-${round}-${at}`));
      if (dropOnDisk(daemon, `DROP-${round}`)) dropped.push(`DROP-${round}`);
      for (const { id, isTaken } of await Promise.all(tries)) (isTaken ? acknowledged : refused).push(id);
      await pause(FULL_MS);
      disk.empty();
      if (!isAlive(daemon)) {
        ended++;
        await daemon.start();
      }
    }
    await daemon.kill();
    await daemon.start();
    const owed = [...acknowledged, ...dropped];
    const isThere = (id: string): boolean => versionsOf(world(), 'buyer', id) > 0 && acceptancesOf(world(), 'seller', id) > 0;
    const wait = until('everything to arrive', () => pause(100).then(() => owed.every(isThere)), ARRIVES_WITHIN_MS);
    await wait.catch(() => undefined);
    console.log(
      `full disk: ${ROUNDS} times, ${acknowledged.length} uploads acknowledged, ${refused.length} refused, ${dropped.length} dropped, ${ended} times the daemon ended`,
    );
    expect({
      lost: owed.filter((id) => !isThere(id)),
      twice: [...owed, ...refused].filter((id) => versionsOf(world(), 'buyer', id) > 1),
    }).toEqual({
      lost: [],
      twice: [],
    });
    expect(refused.length).toBeGreaterThan(0);
    expect(acknowledged.length).toBeGreaterThan(0);
  },
);

const documentOf = (id: string): Buffer => Buffer.from(invoiceOfSize(DOCUMENT_BYTES, { id }));

async function upload(world: World, id: string): Promise<{ readonly id: string; readonly isTaken: boolean }> {
  const isTaken = await inSession(world, 'erp', (sftp) => write(sftp, `/inbox/${id}.xml`, documentOf(id))).then(
    () => true,
    () => false,
  );
  return { id, isTaken };
}

/** As a program does that looks at what writing says: it renames what is whole. */
function dropOnDisk(daemon: TestDaemon, id: string): boolean {
  const inbox = daemon.home('seller', 'inbox');
  try {
    writeFileSync(join(inbox, `${id}.xml.tmp`), documentOf(id));
    renameSync(join(inbox, `${id}.xml.tmp`), join(inbox, `${id}.xml`));
    return true;
  } catch {
    return false;
  }
}
