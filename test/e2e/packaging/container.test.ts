// The container recipe: what it copies is there, and what it runs can run. (The image itself needs an engine, which tests have not.)
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '#runtime/config/config.ts';
import { command } from '../../support/terminal.ts';

const recipe = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ');
const instructions = recipe.split('\n').filter((line) => /^[A-Z]+ /.test(line));
const copied = instructions
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1));

describe('Dockerfile', () => {
  it.each(copied)('copies %s, which is there and which .dockerignore lets in', (source) => {
    expect(existsSync(source)).toBe(true);
    const letIn = readFileSync('.dockerignore', 'utf8').match(/(?<=^!).+$/gm) ?? [];
    expect(letIn.some((each) => source === each || source.startsWith(`${each}/`))).toBe(true);
  });

  it('has two stages on slim bases, ends as a user without rights, and has a health check', () => {
    expect(instructions.filter((line) => line.startsWith('FROM ')).every((line) => /-slim( AS |$)/.test(line))).toBe(true);
    expect(instructions.filter((line) => line.startsWith('FROM '))).toHaveLength(2);
    expect(instructions.findLast((line) => line.startsWith('USER '))).toBe('USER dropgate');
    expect(instructions.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
    expect(recipe).not.toContain('--demo');
  });

  it('runs commands that there are', async () => {
    for (const [list] of recipe.matchAll(/\[".*"\]/g)) {
      const words: string[] = JSON.parse(list);
      const name = words.find((word) => ['serve', 'health'].includes(word));
      if (name) expect((await command([name, '--help'])).status).toBe(0);
    }
  });

  it.each(['config/container.yaml', 'config/container-postgresql.yaml'])(
    'has %s, which can be used, and keeps everything in /data',
    (name) => {
      const sources = { folder: '/', file: () => 'secret', environment: {} };
      const { config } = readConfig({ name, text: readFileSync(name, 'utf8'), sources });
      expect(config).toMatchObject({ data: '/data', sftp: { listen: { host: '0.0.0.0', port: 2222 } } });
    },
  );
});

interface Service {
  readonly build?: string;
  readonly secrets: readonly string[];
  readonly volumes: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<'dropgate' | 'database', Service>>;
  readonly volumes: object;
  readonly secrets: object;
}

describe('compose.yaml', () => {
  const compose: Compose = parse(readFileSync('config/compose.yaml', 'utf8'));
  const { dropgate } = compose.services;

  it.each(Object.entries(compose.services))('%s names only what is there', (_, { secrets, volumes, depends_on = {} }) => {
    for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret);
    for (const needed of Object.keys(depends_on)) expect(Object.keys(compose.services)).toContain(needed);
    const sources = volumes.map((each) => each.split(':', 1)[0] ?? '');
    for (const source of sources) {
      if (source.startsWith('.')) expect(existsSync(join('config', source)), source).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
  });

  it('builds from the Dockerfile, and waits longer for the end than the daemon takes', () => {
    expect(existsSync(join('config', dropgate.build ?? '', 'Dockerfile'))).toBe(true);
    const sources = { folder: '/', file: () => 'secret', environment: {} };
    const text = readFileSync('config/container-postgresql.yaml', 'utf8');
    const { config } = readConfig({ name: 'compose', text, sources });
    expect(Number.parseInt(dropgate.stop_grace_period ?? '', 10) * 1_000).toBeGreaterThan(config.shutdown.drain);
    // The name of the other service is its address.
    expect(new URL(parse(text).database.url).hostname).toBe('database');
  });
});
