// The scenarios in which a gateway dies at each call: what ERPs, partners and administrators do with it.
import { takeOutbox } from '../support/faults/world.ts';
import { LEAVER } from './people.ts';
import {
  archived,
  arrival,
  brokenUpload,
  declared,
  documentOf,
  erased,
  folderDrop,
  linkEnds,
  linked,
  nothingOf,
  ordered,
  orderedAgain,
  orderOf,
  receipt,
  refusedUnheard,
  refusedUpload,
  renamedUpload,
  resentUntilAccepted,
  resumedUpload,
  type Scenario,
  sentAgain,
  slipped,
  suggested,
  upload,
  wrong,
} from './steps.ts';

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
      upload('after.xml', documentOf('OVERWRITTEN', 'seller', 'buyer', { note: 'The amounts are right now.' }), 'seller', 'overwrite'),
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
    name: 'an order, answered by moving it',
    steps: [
      upload('po.xml', orderOf('PO-1'), 'buyer'),
      receipt('po.xml', 'delivered', 'buyer'),
      arrival('PO-1', 1, 'seller'),
      ordered('PO-1', 'accept', 'order.xml'),
      receipt('accept-order.xml', 'delivered'),
      orderedAgain('order', 'reject', 'again.xml'),
      receipt('again.xml', 'refused'),
    ],
  },
  {
    name: 'a suggested repair, sent',
    steps: [
      upload('slip.xml', slipped('SLIP')),
      receipt('slip.xml', 'refused'),
      suggested('slip', 'repaired.xml'),
      receipt('repaired.xml', 'delivered'),
      arrival('SLIP'),
    ],
  },
  {
    name: 'verdicts at CLOSE',
    steps: [
      refusedUpload('strict.xml', wrong('STRICT')),
      refusedUnheard('unheard.xml', wrong('STRICT')),
      receipt('unheard.xml', 'refused'),
      upload('strict-right.xml', documentOf('STRICT')),
      receipt('strict-right.xml', 'delivered'),
      arrival('STRICT'),
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
  {
    name: 'children of one partner, each in its folder',
    steps: [
      upload('one.xml', documentOf('ONE', 'child-1', 'child-2'), 'child-1'),
      upload('two.xml', documentOf('TWO', 'child-2', 'buyer'), 'child-2'),
      upload('foreign.xml', documentOf('FOREIGN', 'child-2', 'buyer'), 'child-1'),
      receipt('one.xml', 'delivered', 'child-1'),
      receipt('two.xml', 'delivered', 'child-2'),
      receipt('foreign.xml', 'refused', 'child-1'),
      arrival('ONE', 1, 'child-2'),
      arrival('TWO'),
    ],
  },
  {
    name: 'children that share a home',
    steps: [
      upload('shared.xml', documentOf('SHARED-1', 'pool-1', 'pool-2'), 'pool'),
      upload('shared.xml', documentOf('SHARED-2', 'pool-2', 'buyer'), 'pool'),
      receipt('shared.xml', 'delivered', 'pool', 2),
      arrival('SHARED-1', 1, 'pool'),
      arrival('SHARED-2'),
    ],
  },
  {
    name: 'a link that ends, and comes back',
    steps: [
      linkEnds('firm', 'child-1'),
      upload('held.xml', documentOf('HELD', 'child-1', 'buyer'), 'child-1'),
      receipt('held.xml', 'held', 'child-1'),
      linked('firm', 'child-1'),
      resentUntilAccepted('child-1', 'child-1', 'held.xml'),
      receipt('held.xml', 'delivered', 'child-1'),
      arrival('HELD'),
    ],
  },
  {
    name: 'an account that is erased',
    steps: [
      upload('leaving-7f3a.xml', documentOf('LEAVING', 'leaver'), 'leaver'),
      upload('to-leaver.xml', documentOf('TO-LEAVER', 'seller', 'leaver')),
      receipt('leaving-7f3a.xml', 'delivered', 'leaver'),
      receipt('to-leaver.xml', 'delivered'),
      arrival('LEAVING'),
      arrival('TO-LEAVER', 1, 'leaver'),
      archived('leaving-7f3a.xml', 'leaver', ['accepted', 'delivered']),
      ...erased('leaver'),
      nothingOf('leaver', 'leaving-7f3a'),
      declared(LEAVER),
      folderDrop('again.xml', documentOf('LEAVING', 'leaver'), 'leaver'),
      receipt('again.xml', 'duplicate', 'leaver'),
    ],
  },
];
