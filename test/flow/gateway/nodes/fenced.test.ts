// A node whose lease has passed, such as one that was stopped and wakes: wherever it goes on, it renames, removes and posts nothing more.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { carriedName } from '#gateway/disk/carry.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import type { DropFolder, Intake } from '#gateway/model/intake.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { eraseHere } from '#gateway/operate/erase.ts';
import type { Gateway } from '#gateway/options.ts';
import { invoice } from '../../../support/documents.ts';
import { freePort } from '../../../support/free-port.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { obliging, type Script } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { untouched } from '../../../support/untouched.ts';
import { NAMED_LEASE_MS, openNamedNodes } from '../../../support/world/named-nodes.ts';

const HOME = 'seller';
const INBOX: DropFolder = { home: HOME, folder: 'inbox' };
const BYTES = Buffer.from(invoice());
const LOST = 'lost its homes';
const ITEM = '01KAJ3V7Q8ABCDEFGHJKMNPQRS';

interface Stage {
  readonly data: string;
  /** Of the node that loses its homes. */
  readonly gateway: Gateway;
  readonly intake: Intake;
  /** Of another node. */
  readonly other: Intake;
}

/** What a node is about to do. */
type Act = (stage: Stage) => Promise<() => Promise<unknown>>;

async function opened(at: Intake, name: string, folder: DropFolder['folder'] = 'inbox', session = 'session-1'): Promise<string> {
  const { upload, path } = await at.open({ home: HOME, folder, name, login: 'erp', session, resume: false });
  writeFileSync(path, BYTES);
  return upload;
}

const close = (at: Intake, upload: string) => at.commit(upload, { size: BYTES.length, sha256: null });
const resume = ({ intake }: Stage) => intake.open({ ...INBOX, name: 'a.xml', login: 'erp', session: 'session-1', resume: true });
const remove = ({ intake }: Stage) => intake.remove(INBOX, 'a.xml.tmp', 'session-1');

/** A file that waits in the inbox to be taken from another file system. */
function reclaim({ data, intake }: Stage, item: string): () => Promise<void> {
  const name = carriedName(item, 'b.xml');
  const path = join(homeFolder(data, HOME), 'inbox', name);
  writeFileSync(path, BYTES);
  return () => intake.reclaim(INBOX, name, path);
}

const ACTS: readonly (readonly [what: string, prepare: Act])[] = [
  [
    'keeps no upload that is cut off',
    async ({ intake }) => {
      const upload = await opened(intake, 'a.xml');
      return () => intake.abandon(upload);
    },
  ],
  [
    'drops no upload that is cancelled',
    async ({ intake }) => {
      const upload = await opened(intake, 'a.xml');
      return () => intake.cancel(upload);
    },
  ],
  [
    'takes no upload',
    async ({ intake }) => {
      const upload = await opened(intake, 'a.xml');
      return () => close(intake, upload);
    },
  ],
  [
    'closes no upload under a temporary name',
    async ({ intake }) => {
      const upload = await opened(intake, 'a.xml.tmp');
      return () => close(intake, upload);
    },
  ],
  [
    'removes nothing that is tested',
    async ({ intake }) => {
      const upload = await opened(intake, 'a.xml', 'test');
      return () => close(intake, upload);
    },
  ],
  [
    'removes nothing that waits for its name',
    async (stage) => {
      await close(stage.intake, await opened(stage.intake, 'a.xml.tmp'));
      return () => remove(stage);
    },
  ],
  [
    'gives nothing another name that waits for one',
    async ({ intake }) => {
      await close(intake, await opened(intake, 'a.xml.tmp'));
      const to = { ...INBOX, name: 'b.xml.tmp' };
      return () => intake.rename({ ...INBOX, name: 'a.xml.tmp' }, to, { login: 'erp', session: 'session-1' });
    },
  ],
  [
    'goes on with no upload of its own',
    async (stage) => {
      await stage.intake.abandon(await opened(stage.intake, 'a.xml'));
      return () => resume(stage);
    },
  ],
  [
    'begins no upload in place of another',
    async ({ intake }) => {
      await intake.abandon(await opened(intake, 'a.xml'));
      return () => opened(intake, 'a.xml');
    },
  ],
  [
    'goes on with no upload of another node',
    async (stage) => {
      await stage.other.abandon(await opened(stage.other, 'a.xml', 'inbox', 'session-2'));
      return () => resume(stage);
    },
  ],
  [
    'removes nothing that waits at another node',
    async (stage) => {
      await close(stage.other, await opened(stage.other, 'a.xml.tmp', 'inbox', 'session-2'));
      return () => remove(stage);
    },
  ],
  ['gives no file its name back whose copying broke off', async (stage) => reclaim(stage, ITEM)],
  [
    'removes no file that was copied',
    async (stage) => {
      const taken = await close(stage.intake, await opened(stage.intake, 'a.xml'));
      return reclaim(stage, taken.state === 'taken' ? taken.item : '');
    },
  ],
  [
    'erases no account',
    async ({ gateway, data }) => {
      writeFileSync(join(homeFolder(data, HOME), 'outbox', 'a.xml'), BYTES);
      const found = { home: HOME, isOwnHome: true, items: 0, held: 0 };
      return () => eraseHere(gateway.administration, HOME, found, () => undefined);
    },
  ],
];

describe.runIf(hasPostgres)('A node that has lost its homes', () => {
  const WHEN = [
    { when: 'before it begins', isBegun: false },
    { when: 'while it waits', isBegun: true },
  ];
  const cases = WHEN.flatMap((when) => ACTS.map(([what, prepare]) => ({ ...when, what, prepare })));
  it.each(cases)('$when $what', async ({ prepare, isBegun }) => {
    // Nothing is answered, so that what was taken stays in the spool.
    const nodes = await openNamedNodes([HOME], ({ method }) => (method === 'POST' ? { status: 503 } : { status: 204 }));
    const one = await nodes.start('one');
    const two = await nodes.start('two');
    const { gateway, clock } = one;
    const act = await prepare({ data: nodes.data, gateway, intake: gateway.intake, other: two.gateway.intake });
    const begun = isBegun ? act() : undefined;
    begun?.catch(() => undefined);
    clock.step(NAMED_LEASE_MS);
    const expectUntouched = untouched(nodes.data);
    // What an act does in the turn in which it was begun it has done.
    if (begun) await Promise.allSettled([begun]);
    else await expect(act()).rejects.toThrow(LOST);
    expectUntouched();
  });

  /** The subscription at the service, as our gateway makes it. */
  const SUBSCRIPTION = { id: 'ours', types: ['new_document'], enabled: true, authType: 'api_key' };

  it.each(['PUT', 'POST', 'DELETE'])('asks its service for no %s of its webhook', async (forbidden) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const there = { ...SUBSCRIPTION, url: `${url}/hints/${HOME}` };
    /** The request before it, during which the lease passes. */
    let last = '';
    let lose = (): void => undefined;
    let isThere = false;
    const script: Script = (asked) => {
      if (!asked.path.includes('/webhook')) return obliging(asked);
      if (asked.method === last) lose();
      if (asked.method === 'PUT') isThere = true;
      return asked.method === 'GET' && !isThere ? { status: 404 } : { status: 200, body: there };
    };
    const nodes = await openNamedNodes([HOME], script);
    const hints = { listen: { host: '127.0.0.1', port }, tls: null, behindProxy: false, url } as const;
    const { gateway, clock, facts } = await nodes.start('one', { hints });
    const want = async (isWanted: boolean): Promise<void> => {
      await changeAccount(gateway.administration, HOME, { hints: isWanted });
      await gateway.refreshAccounts();
    };
    const asked = (): string[] => nodes.service.seen.filter(({ path }) => path.includes('/webhook')).map(({ method }) => method);
    const said = (event: string) => until(event, () => facts().some((fact) => fact.event === event));
    if (forbidden === 'DELETE') {
      await want(true);
      await said('hints.registered');
    }
    lose = () => clock.step(NAMED_LEASE_MS);
    last = forbidden === 'POST' ? 'PUT' : 'GET';
    const before = asked().length;
    await want(forbidden !== 'DELETE');
    await said('hints.postponed');
    expect(asked().slice(before)).toEqual(forbidden === 'POST' ? ['GET', 'PUT'] : ['GET']);
  });
});
