// The page of the admin listener over a gateway of a test, and a browser without a screen: it keeps cookies and follows no redirect by itself.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startAdminListener } from '#admin/listener.ts';
import { Readiness } from '#admin/readiness.ts';
import { Opened } from '#cli/opened.ts';
import type { Measures } from '#gateway/model/measures.ts';
import { openMeasures } from '#gateway/operate/metrics.ts';
import { addOperator } from '#gateway/operate/operators.ts';
import { addPage } from '#page/page.ts';
import { Activity } from '#runtime/activity.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { openLog } from '#runtime/log.ts';
import { Metrics } from '#runtime/metrics.ts';
import { cheapHash } from './cheap-hash.ts';
import type { TestCore } from './core.ts';
import { command } from './terminal.ts';
import type { World } from './world/world.ts';

export const OPERATOR_PASSWORD = 'correct horse battery staple';

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
  readonly headers: Headers;
}

export interface Browser {
  cookie: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  post(path: string, fields: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  raw(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<Answered>;
  /** Sends a form with a file to /validate. */
  show(fileName: string, bytes: Uint8Array | string, token: string, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  login(operator: string, password?: string): Promise<Answered>;
  /** Asks for an act, takes the token of the form that is shown, and sends it with what is said in its fields. */
  act(name: string, id: string, fields?: Readonly<Record<string, string>>): Promise<Answered>;
}

/** How late the event loop is said to be. */
export const LOOP_DELAY_MS = 17;

export interface TestPage {
  /** What the page's last minutes are counted by. */
  readonly measures: Measures;
  readonly url: string;
  readonly log: string[];
  browser(): Browser;
  /** Has a command done beside it. */
  run(...args: readonly string[]): ReturnType<typeof command>;
}

/** With an operator for each role: `looker` and `actor`. `core`: one whose ledger is looked into, too. `more`: further lines of its settings. */
export async function startPage(world: World, core?: Pick<TestCore, 'databasePath'>, more = ''): Promise<TestPage> {
  const log: string[] = [];
  const lines = openLog('info', { write: (line) => void log.push(line) });
  const file = join(world.data, 'dropgate.yaml');
  writeFileSync(file, `role: gateway\ndata: ${world.data}\nservice: {url: "http://127.0.0.1:9"}\n${more}`);
  const whole = join(world.data, 'with-core.yaml');
  if (core) writeFileSync(whole, `role: all\ndata: ${dirname(core.databasePath)}\noutbound: {allow: [127.0.0.0/8]}\n`);
  const { config } = loadConfig(core ? whole : file, undefined);
  const metrics = new Metrics(world.clock);
  const measures = openMeasures(metrics);
  const sources = { counted: (metric: string) => metrics.counted(metric), takeLatest: () => LOOP_DELAY_MS };
  const activity = new Activity(sources, world.clock, (error) => lines.error({ event: 'test.activity', err: error }));
  onTestFinished(() => activity[Symbol.dispose]());
  const opened = new Opened({ config, running: { gateway: world.gateway(), core: null, activity, trail: null }, log: lines });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const readiness = new Readiness([], world.clock);
  const parts = { gateway: world.gateway().administration, readiness, run: opened.run.bind(opened), log: lines };
  const listener = await startAdminListener({
    settings: { listen: { host: '127.0.0.1', port: 0 }, tls: null },
    readiness,
    metrics: async () => '',
    page: (server, isTls) => addPage(server, parts, isTls),
    log: lines,
  });
  onTestFinished(() => listener.close());
  const passwordHash = cheapHash(OPERATOR_PASSWORD);
  await world.administer((on) => addOperator(on, 'looker', 'look', passwordHash));
  await world.administer((on) => addOperator(on, 'actor', 'act', passwordHash));
  return {
    url: listener.url,
    measures,
    log,
    browser: () => openBrowser(listener.url),
    run: (...args) => command([...args, '--config', file]),
  };
}

export function tokenIn(text: string): string {
  return /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

/** Where the lists of a page go on, for those whose addresses name this. */
export function nextIn(text: string, name: string): string | undefined {
  const all = [...text.matchAll(/rel="next" href="([^"]+)"/g)].map(([, address = '']) => address.replaceAll('&#38;', '&'));
  return all.find((address) => new URL(address, 'http://page').searchParams.has(name));
}

/** What a pattern finds in a list, page by page to its end. `name`: what addresses of the pages behind the first name. */
export async function walkList(browser: Browser, path: string, name: string, pattern: RegExp): Promise<string[]> {
  const { text } = await browser.get(path);
  const here = [...text.matchAll(pattern)].map(([, found = '']) => found);
  const next = nextIn(text, name);
  return next === undefined ? here : [...here, ...(await walkList(browser, next, name, pattern))];
}

function openBrowser(base: string): Browser {
  async function ask(path: string, init: RequestInit): Promise<Answered> {
    const cookies = browser.cookie === '' ? {} : { cookie: browser.cookie };
    const answer = await fetch(`${base}${path}`, { redirect: 'manual', ...init, headers: { ...cookies, ...init.headers } });
    for (const each of answer.headers.getSetCookie()) browser.cookie = each.split(';', 1)[0] ?? '';
    return { status: answer.status, text: await answer.text(), location: answer.headers.get('location'), headers: answer.headers };
  }
  const browser: Browser = {
    cookie: '',
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields, headers = { origin: base }) => ask(path, { method: 'POST', body: new URLSearchParams(fields), headers }),
    raw: (path, body, headers) => ask(path, { method: 'POST', body, headers }),
    show(fileName, bytes, token, headers = { origin: base }) {
      const form = new FormData();
      form.set('token', token);
      form.set('document', new File([new Uint8Array(Buffer.from(bytes))], fileName));
      return ask('/validate', { method: 'POST', body: form, headers });
    },
    login: (operator, password = OPERATOR_PASSWORD) => browser.post('/login', { operator, password, next: '/' }),
    async act(name, id, fields = {}) {
      const { text } = await browser.get(`/act/${name}?${new URLSearchParams({ id })}`);
      return browser.post(`/act/${name}`, { ...fields, id, token: tokenIn(text) });
    },
  };
  return browser;
}
