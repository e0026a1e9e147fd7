// The container recipe: what it copies is there, and what it runs can run. (The image itself needs an engine, which tests have not.)
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
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
