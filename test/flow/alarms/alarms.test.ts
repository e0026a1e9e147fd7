// Alarms from the look to the mail server, the webhook and the folder: digests, ends, failures, restarts.
import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startAlarms } from '#alarms/alarms.ts';
import { readBook } from '#alarms/book-file.ts';
import { certificateWatcher, diskWatcher, hostKeyWatcher, ruleWatcher } from '#alarms/machine.ts';
import type { AlarmSettings } from '#alarms/settings.ts';
import type { Alarm, Seen, Watcher } from '#domain/alarm.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { authority } from '../../support/authority.ts';
import { calm } from '../../support/calm.ts';
import { certified } from '../../support/certificates.ts';
import { type ManualClock, manualClock } from '../../support/clock.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { type Hit, type Receiver, startReceiver } from '../../support/receiver.ts';
import { RULE_SETS } from '../../support/rule-sets.ts';
import { eventually } from '../../support/until.ts';

const MINUTE = 60_000;
const SECRET = `whsec_${Buffer.from('a secret of the webhook').toString('base64')}`;

let data: string;
let clock: ManualClock;
let mail: MailServer;
let receiver: Receiver;

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'dropgate-alarms-'));
  clock = manualClock();
  mail = await startMailServer();
  receiver = await startReceiver();
  onTestFinished(async () => {
    await mail[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    rmSync(data, { recursive: true, force: true });
  });
});

const held = (subject: string): Alarm => ({ kind: 'held', subject, sentence: 'a document waits.' });

/** Somebody who sees what the test says. */
function seeing() {
  const state: { stands: Alarm[]; isElsewhere: NonNullable<Seen['isElsewhere']>; happened: Alarm[]; failure: Error | null; looks: number } =
    {
      stands: [],
      isElsewhere: () => false,
      happened: [],
      failure: null,
      looks: 0,
    };
  const watcher: Watcher = {
    kinds: ['held', 'refused'],
    async look() {
      state.looks++;
      if (state.failure) throw state.failure;
      const seen = { stands: state.stands, isElsewhere: state.isElsewhere, happened: state.happened };
      state.happened = [];
      return seen;
    },
  };
  return { state, watcher };
}

function start(watchers: readonly Watcher[]): AsyncDisposable {
  const settings: AlarmSettings = {
    digest: 15 * MINUTE,
    mail: {
      to: ['ops@example.com', 'boss@example.com'],
      from: 'dropgate@example.com',
      server: { host: '127.0.0.1', port: mail.port, secure: false },
      user: null,
      password: null,
      ca: null,
    },
    webhook: { url: `${receiver.url}/hook?token=1`, secret: SECRET },
    outbound: { ca: authority().ca, dns: false },
  };
  const alarms = startAlarms({
    origin: { host: 'here', data },
    settings: () => settings,
    watchers,
    clock,
    random: systemRandom,
    log: openLog('silent', { write: () => undefined }),
  });
  onTestFinished(() => alarms[Symbol.asyncDispose]());
  return alarms;
}

/** Minute after minute, each look to its end. */
async function pass(minutes: number, state: { looks: number }): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    const before = state.looks;
    await calm();
    clock.advance(MINUTE);
    await eventually(() => expect(state.looks).toBe(before + 1));
    await calm();
  }
}

const digests = (): string[] => readdirSync(join(data, 'alarms')).filter((name) => name.endsWith('.txt'));
const told = async (count: number): Promise<void> =>
  eventually(() =>
    expect({ mails: mail.mails.length, posts: receiver.hits.length, files: digests().length }).toEqual({
      mails: count,
      posts: count,
      files: count,
    }),
  );

describe('an alarm', () => {
  it('is told by mail, webhook and file within two minutes, and its end too', async () => {
    const { state, watcher } = seeing();
    start([watcher]);
    state.stands = [held('5567321707')];
    await pass(2, state);
    await told(1);
    expect(mail.mails[0]).toMatchObject({ from: 'dropgate@example.com', to: ['ops@example.com', 'boss@example.com'] });
    expect(mail.mails[0]?.text).toContain('Subject: Dropgate on here: 1 began');
    expect(mail.mails[0]?.text).toContain('5567321707: a document waits.');
    expect(receiver.hits[0]?.json).toMatchObject({ standing: 1, began: [{ kind: 'held', subject: '5567321707' }], ended: [] });
    state.stands = [];
    await pass(20, state);
    await told(2);
    expect(mail.mails[1]?.text).toContain('Subject: Dropgate on here: 1 ended');
    expect(mail.mails[1]?.text).toContain('No alarm stands now.');
    await pass(60, state);
    await told(2);
  });

  it('of a kind that nobody looks after since the restart ends, which is told', async () => {
    const { state, watcher } = seeing();
    const first = start([watcher]);
    state.stands = [held('5567321707')];
    await pass(2, state);
    await told(1);
    await first[Symbol.asyncDispose]();
    const other = seeing();
    start([{ ...other.watcher, kinds: ['disk'] }]);
    await pass(20, other.state);
    await told(2);
    expect(mail.mails[1]?.text).toContain('Subject: Dropgate on here: 1 ended');
    expect(mail.mails[1]?.text).toContain('No alarm stands now.');
  });

  it('signs what it posts as Standard Webhooks does', async () => {
    const { state, watcher } = seeing();
    start([watcher]);
    state.stands = [held('a')];
    await pass(2, state);
    await told(1);
    const [{ headers, text }] = receiver.hits as [Hit];
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', 'a secret of the webhook').update(signed).digest('base64')}`);
  });

  it('comes with others in one digest, four in an hour at the most', async () => {
    const { state, watcher } = seeing();
    start([watcher]);
    state.stands = Array.from({ length: 50 }, (_, at) => held(`account ${at}`));
    await pass(2, state);
    await told(1);
    expect(mail.mails[0]?.text).toContain('and 30 more');
    for (let minute = 0; minute < 60; minute++) {
      state.happened = [{ kind: 'refused', subject: 'a', sentence: `${minute}.xml was refused.` }];
      await pass(1, state);
    }
    await eventually(() => expect(mail.mails.length).toBeGreaterThan(3));
    expect(mail.mails.length).toBeLessThanOrEqual(5);
    expect(receiver.hits[1]?.json.text).toMatch(/a: 1\d times, the last one: \d+\.xml was refused\./);
  });

  it('that comes and goes within minutes is told once, and not its end', async () => {
    const { state, watcher } = seeing();
    start([watcher]);
    for (let minute = 0; minute < 40; minute++) {
      const isGone = minute % 5 === 4 || (minute >= 20 && minute < 30);
      state.stands = isGone ? [] : [held('a')];
      await pass(1, state);
    }
    await told(1);
  });

  it('that is another process to tell from now on goes without a word, and the others stand', async () => {
    const { state, watcher } = seeing();
    start([watcher]);
    state.stands = [held('acme-ab'), held('bolag-ab')];
    await pass(2, state);
    await told(1);
    state.stands = [held('bolag-ab')];
    state.isElsewhere = (subject) => subject !== 'bolag-ab';
    await pass(60, state);
    await told(1);
    expect(readBook(data).standing.map(({ subject }) => subject)).toEqual(['bolag-ab']);
  });

  it('stands while nobody can look', async () => {
    const { state, watcher } = seeing();
    start([watcher]);
    state.stands = [held('a')];
    await pass(2, state);
    await told(1);
    state.failure = new Error('the ledger does not answer');
    await pass(60, state);
    await told(1);
  });
});

describe('a channel', () => {
  it('that fails is tried again, later and later, and then tells all at once; the others do not wait for it', async () => {
    const { state, watcher } = seeing();
    start([watcher]);
    mail.refusal = '451 later';
    receiver.script = () => ({ status: 503 });
    state.stands = [held('a')];
    await pass(30, state);
    expect(mail.mails).toEqual([]);
    expect(digests()).toHaveLength(1);
    state.stands = [held('a'), held('b')];
    await pass(30, state);
    expect(receiver.hits.length).toBeLessThan(8);
    mail.refusal = null;
    receiver.script = () => ({ status: 200 });
    await pass(70, state);
    await eventually(() => expect(mail.mails).toHaveLength(1));
    expect(mail.mails[0]?.text).toContain('2 began');
    expect(digests()).toHaveLength(2);
  });

  it('tells after a restart what it could not tell before, and not again what it has told', async () => {
    const { state, watcher } = seeing();
    const first = start([watcher]);
    mail.refusal = '451 later';
    state.stands = [held('a')];
    await pass(3, state);
    await eventually(() => expect(receiver.hits).toHaveLength(1));
    await first[Symbol.asyncDispose]();
    mail.refusal = null;
    start([watcher]);
    await pass(40, state);
    await told(1);
  });
});

describe('the machine', () => {
  it('is told of: a full disk, a certificate that ends, host keys that have changed', async () => {
    const { state, watcher } = seeing();
    const { certificate } = certified({ name: 'here', kind: 'ec', until: clock.now() + 10 * 86_400_000 });
    const long = certified({ name: 'here', kind: 'ec', until: clock.now() + 400 * 86_400_000 });
    const watchers = (fingerprint: string, bytesMin: number): Watcher[] => [
      diskWatcher(data, () => bytesMin),
      certificateWatcher(
        () => [
          { setting: 'core.tls', pem: certificate },
          { setting: 'hints.tls', pem: long.certificate },
        ],
        () => 21 * 86_400_000,
        clock,
      ),
      hostKeyWatcher(data, [{ type: 'ssh-ed25519', fingerprint }]),
      watcher,
    ];
    const first = start(watchers('SHA256:one', 1));
    await pass(3, state);
    await told(1);
    expect(receiver.hits[0]?.json.began).toEqual([
      {
        kind: 'certificate',
        subject: 'core.tls',
        sentence: expect.stringContaining('it ends on 2026-12-01'),
        times: 1,
        at: expect.anything(),
      },
    ]);
    await first[Symbol.asyncDispose]();
    start(watchers('SHA256:two', 2 ** 60));
    await pass(20, state);
    await told(2);
    expect(receiver.hits[1]?.json).toMatchObject({
      began: [{ kind: 'disk', subject: data }],
      happened: [{ kind: 'host-key', subject: 'ssh-ed25519', sentence: expect.stringContaining('it is SHA256:two, and was SHA256:one') }],
    });
    expect(readFileSync(join(data, 'alarms', 'host-keys.json'), 'utf8')).toContain('SHA256:two');
  });

  it('is told of rules that are old, each by its name', async () => {
    const { state, watcher } = seeing();
    clock.advance(3_650 * 86_400_000);
    start([ruleWatcher(clock), watcher]);
    await pass(3, state);
    await told(1);
    const names = new Set(RULE_SETS.map(({ name }) => name));
    const began: { kind: string; subject: string; sentence: string }[] = receiver.hits[0]?.json.began;
    expect(new Set(began.map(({ kind, subject }) => `${kind} ${subject}`))).toEqual(new Set([...names].map((name) => `rules ${name}`)));
    expect(began[0]?.sentence).toMatch(/newer Dropgate/);
  });
});
