// Settings that change while a daemon runs: the table says it of each, and only those change.
import { expect, it } from 'vitest';
import { isRecord } from '#domain/json.ts';
import { readConfig } from '#runtime/config/config.ts';
import { LiveConfig } from '#runtime/config/live.ts';
import { SETTINGS, type Table } from '#runtime/config/settings.ts';

const sources = { folder: '/srv', file: () => '', environment: {} };
const read = (text = '') => readConfig({ name: 'dropgate.yaml', text, sources }).config;

type Path = readonly string[];
const paths = (table: Table, at: Path = []): { path: Path; change: string }[] =>
  Object.entries(table).flatMap(([key, row]) =>
    'rows' in row ? paths(row.rows, [...at, key]) : [{ path: [...at, key], change: row.change }],
  );

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((section, key) => (isRecord(section) ? section[key] : undefined), value);
}

function changed(path: Path, value: unknown) {
  const config = structuredClone(read());
  const section = at(config, path.slice(0, -1));
  Object.assign(Object(section), { [String(path.at(-1))]: value });
  return config;
}

it.each(paths(SETTINGS))('$path changes $change', ({ path, change }) => {
  const live = new LiveConfig(read());
  const section = at(live.config, path.slice(0, -1));
  const before = at(live.config, path);
  const name = path.join('.');
  const expected = change === 'at reload' ? { changed: [name], kept: [] } : { changed: [], kept: [name] };
  expect(live.take(changed(path, 'another'))).toEqual(expected);
  expect(at(live.config, path)).toEqual(change === 'at reload' ? 'another' : before);
  // Parts hold the section.
  expect(at(live.config, path.slice(0, -1))).toBe(section);
});

it('files of TLS are renewed, but TLS neither begins nor ends', () => {
  const live = new LiveConfig(changed(['core', 'tls'], { cert: 'a', key: 'a' }));
  expect(live.take(changed(['core', 'tls'], { cert: 'b', key: 'b' }))).toEqual({ changed: ['core.tls'], kept: [] });
  expect(live.take(changed(['core', 'tls'], null))).toEqual({ changed: [], kept: ['core.tls'] });
  expect(live.config.core.tls).toEqual({ cert: 'b', key: 'b' });
});

it('the same again changes nothing', () => {
  const text = 'sftp: {deny: [10.0.0.5]}';
  expect(new LiveConfig(read(text)).take(read(text))).toEqual({ changed: [], kept: [] });
});
