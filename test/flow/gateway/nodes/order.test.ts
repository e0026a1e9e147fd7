// The documents of one pair go in the order in which ERPs have brought them, whichever nodes they came to. No second passes here but where it says so: the owner
// does not look into the ledger by itself, and there is no Redis through which it could be rung.
import { beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../support/postgres.ts';
import { obliging } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { numbersSent, uploadInvoice } from '../../../support/uploads.ts';
import { type NamedNode, type NamedNodes, openNamedNodes } from '../../../support/world/named-nodes.ts';

const LOOK_MS = 2_000;

describe.runIf(hasPostgres)('What another node has taken', () => {
  let nodes: NamedNodes;
  let owner: NamedNode;
  let other: NamedNode;

  beforeEach(async () => {
    nodes = await openNamedNodes(['acme', 'else'], obliging);
    owner = await nodes.start('one');
    other = await nodes.start('two');
  });

  async function upload({ gateway: { intake } }: NamedNode, id: string, home = 'acme') {
    // No two come in the same millisecond, by the clocks of both.
    for (const { clock } of [owner, other]) clock.advance(1);
    await uploadInvoice(intake, home, id);
  }
  const sent = () => numbersSent(nodes.service);

  it('goes before what comes to its owner afterwards', async () => {
    await upload(other, 'F-1');
    await upload(other, 'F-2');
    await upload(owner, 'F-3');
    await until('all to be sent', () => sent().length === 3);
    expect(sent()).toEqual(['F-1', 'F-2', 'F-3']);
  });

  it('is sent once, though its owner hears of it again', async () => {
    await upload(other, 'F-1');
    await upload(owner, 'F-2');
    await until('both to be sent', () => sent().length === 2);
    for (let looks = 0; looks < 3; looks++) {
      owner.clock.advance(LOOK_MS);
      await upload(owner, `F-${3 + looks}`);
      await until('the next to be sent', () => sent().length === 3 + looks);
    }
    expect(sent()).toEqual(['F-1', 'F-2', 'F-3', 'F-4', 'F-5']);
  });

  it('holds back nothing of other homes', async () => {
    await upload(other, 'F-1');
    await upload(owner, 'F-2', 'else');
    await until('the second to be sent', () => sent().length === 1);
    expect(sent()).toEqual(['F-2']);
  });
});
