// `npm run release:check` before a registry that stands in for npm's: what is behind, what has advisories, and what nobody could say.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import lock from '../../package-lock.json' with { type: 'json' };
import { freePort } from '../support/free-port.ts';
import { type Ran, run } from '../support/sftp-clients.ts';
import { ROOT } from './bundle.ts';
import { json, NODE } from './inside.ts';

const BULK = '/-/npm/v1/security/advisories/bulk';
const NODE_NAME = `node-${process.platform}-${process.arch}`;
const node = String(json(join(NODE, 'package.json')).version);

interface Registry {
  /** Versions that are newer than those in use, by package. */
  readonly newer?: Readonly<Record<string, string>>;
  readonly advisories?: object;
}

const versions = new Map(Object.entries(lock.packages).map(([folder, { version }]) => [folder.replace('node_modules/', ''), version]));

async function startRegistry({ newer = {}, advisories = {} }: Registry): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url === BULK ? advisories : packument(name, [versions.get(name) ?? '', newer[name] ?? []].flat())));
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${port}/`;
}

function packument(name: string, all: readonly string[]): object {
  const each = all.map((version) => [version, { name, version, dist: { tarball: `http://127.0.0.1:9/${name}` } }]);
  return { name, 'dist-tags': { latest: all.at(-1) }, versions: Object.fromEntries(each) };
}

/** With nothing that npm has kept of other registries. */
async function check(registry: string): Promise<Ran> {
  const cache = mkdtempSync(join(tmpdir(), 'dropgate-npm-'));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const env = {
    npm_config_registry: registry,
    npm_config_cache: cache,
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
  };
  return run(process.execPath, [join(ROOT, 'test/package/release-check.ts')], undefined, env);
}

it('says nothing where nothing is to be done', async () => {
  const { status, out } = await check(await startRegistry({}));
  expect({ status, out }).toEqual({
    status: 0,
    out: 'Node that is behind:\n  none\nPackages that are behind:\n  none\nPackages with advisories:\n  none\n',
  });
});

it('lists what is behind and what has advisories', async () => {
  const newerNode = `${node.split('.', 1)[0]}.999.0`;
  const advisory = {
    id: 1,
    url: 'https://example.org/1',
    title: 'One',
    severity: 'high',
    vulnerable_versions: '*',
    cwe: [],
    cvss: { score: 0 },
  };
  const registry = await startRegistry({ newer: { [NODE_NAME]: newerNode, yaml: '999.0.0' }, advisories: { saxes: [advisory] } });
  const { status, out } = await check(registry);
  expect({ status, out }).toEqual({
    status: 1,
    out: [
      `Node that is behind:\n  ${NODE_NAME}  ${node} -> ${newerNode}`,
      `Packages that are behind:\n  yaml  ${versions.get('yaml')} -> 999.0.0`,
      'Packages with advisories:\n  saxes  high\n',
    ].join('\n'),
  });
});

it('does not take the silence of a registry for good news', async () => {
  const { status, out } = await check('http://127.0.0.1:9/');
  expect(status).toBe(1);
  expect(out.match(/ {2}not known: the registry did not answer/g)).toHaveLength(3);
});
