// The audit trail: every line that was changed, taken out, put in or cut off is named.
import { fork } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { followTrail } from '#runtime/audit/follow.ts';
import { bodiesFromEnd, firstSequenceOf, trailFiles, writeDown } from '#runtime/audit/trail.ts';
import { verifyTrail } from '#runtime/audit/verify.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../../support/clock.ts';
import { listLate } from '../../../support/late-listings.ts';

const KEY = { derive: (purpose: string) => Buffer.from(`key for ${purpose}`) };
const OTHER = { derive: (purpose: string) => Buffer.from(`another for ${purpose}`) };

let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'dropgate-audit-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
});

const write = (what: string, limits?: Parameters<typeof writeDown>[4]): Promise<void> =>
  writeDown(data, KEY, { who: 'anna', what, given: { accountRegNo: '5567321707' }, before: { enabled: true }, after: {} }, 0, limits);

async function written(count: number): Promise<string> {
  for (let number = 1; number <= count; number++) await write(`act ${number}`);
  return trailFiles(data)[0] ?? '';
}

const broken = (told: string | null = null): string | null => verifyTrail(data, KEY, told).broken;
const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

describe('the audit trail', () => {
  it('is whole after acts of one process', async () => {
    const file = await written(3);
    expect(verifyTrail(data, KEY, null)).toMatchObject({ lines: 3, last: { sequence: 3 }, broken: null });
    expect(JSON.parse(linesOf(file)[1] ?? '')).toMatchObject({ sequence: 2, at: '1970-01-01T00:00:00.000Z', who: 'anna', what: 'act 2' });
  });

  it('is whole after acts of several processes at the same time', async () => {
    const script = join(data, 'writer.ts');
    const trail = join(import.meta.dirname, '../../../../src/runtime/audit/trail.ts');
    writeFileSync(
      script,
      `const { writeDown } = await import(${JSON.stringify(trail)});
       for (let n = 0; n < 20; n++) await writeDown(${JSON.stringify(data)}, { derive: (p) => Buffer.from('key for ' + p) }, { who: String(process.pid), what: 'act', given: n }, 0);`,
    );
    const ended = [1, 2, 3].map(() => new Promise((resolve) => fork(script, { cwd: process.cwd() }).once('exit', resolve)));
    expect(await Promise.all(ended)).toEqual([0, 0, 0]);
    expect(verifyTrail(data, KEY, null)).toMatchObject({ lines: 60, broken: null });
  });

  it('is whole where another process has begun a file that listings do not have yet', async () => {
    const oneEach = { fileBytesMax: 1, filesMax: 64 };
    await write('act 1', oneEach);
    await write('act 2', oneEach);
    const [, second = ''] = trailFiles(data);
    {
      using _late = listLate((name) => name === basename(second));
      await write('act 3', oneEach);
    }
    expect(verifyTrail(data, KEY, null)).toMatchObject({ lines: 3, broken: null });
    expect(trailFiles(data)).toHaveLength(3);
  });

  it('names the first line that was changed', async () => {
    const file = await written(4);
    writeFileSync(file, readFileSync(file, 'utf8').replace('act 2', 'act 9').replace('act 3', 'act 8'));
    expect(broken()).toBe('Line 2 of audit/0000000001.jsonl (line 2 of the trail) was changed, or was written with another key file.');
  });

  it('names the first line also where it is the first of all', async () => {
    const file = await written(2);
    writeFileSync(file, readFileSync(file, 'utf8').replace('act 1', 'act 9'));
    expect(broken()).toContain('Line 1 of audit/0000000001.jsonl');
  });

  it('shows that a line was taken out, or put in', async () => {
    const file = await written(3);
    const [one = '', two = '', three = ''] = linesOf(file);
    writeFileSync(file, `${one}\n${three}\n`);
    expect(broken()).toBe(
      'Line 2 of audit/0000000001.jsonl is line 3 of the trail, and line 2 should stand there: lines were taken out or put in.',
    );
    writeFileSync(file, `${one}\n${two}\n${two}\n${three}\n`);
    expect(broken()).toContain('Line 3 of audit/0000000001.jsonl');
    writeFileSync(file, `${one}\n{"who":"eve"}\n${two}\n`);
    expect(broken()).toBe('Line 2 of audit/0000000001.jsonl is no line of the trail.');
  });

  it('shows a line that was written after another one than stands before it', async () => {
    const file = await written(2);
    const [one = '', two = ''] = linesOf(file);
    writeFileSync(file, `${one}\n`);
    await write('something else');
    await write('act 3');
    const three = linesOf(file)[2] ?? '';
    writeFileSync(file, `${one}\n${two}\n${three}\n`);
    expect(broken()).toContain('Line 3 of audit/0000000001.jsonl');
  });

  it('shows that its beginning was taken away', async () => {
    const file = await written(3);
    writeFileSync(file, `${linesOf(file).slice(1).join('\n')}\n`);
    expect(broken()).toBe('The trail begins with line 2, and no line says that those before it were removed in their time.');
  });

  it('shows that its end was cut off, by the MAC that the log has told', async () => {
    const file = await written(3);
    const told = verifyTrail(data, KEY, null).last?.mac ?? '';
    expect(broken(told)).toBeNull();
    writeFileSync(file, `${linesOf(file).slice(0, 2).join('\n')}\n`);
    expect(broken()).toBeNull();
    expect(broken(told)).toContain(`The trail ends with line 2, and the line with the MAC ${told} is not there`);
  });

  it('does not hold by another key', async () => {
    await written(1);
    expect(verifyTrail(data, OTHER, null).broken).toContain('was written with another key file');
  });

  it('goes on in further files, and its chain with it; the oldest go, which a line says', async () => {
    const limits = { fileBytesMax: 600, filesMax: 3 };
    for (let number = 1; number <= 20; number++) {
      await write(`act ${number}`, limits);
      expect(broken()).toBeNull();
    }
    expect(trailFiles(data)).toHaveLength(3);
    expect(verifyTrail(data, KEY, null).last?.sequence).toBeGreaterThan(20);
    const [oldest = ''] = trailFiles(data);
    rmSync(oldest);
    expect(broken()).toContain('no line says that those before it were removed');
  });

  it('goes on after what a crash left of a line, or of a file', async () => {
    const file = await written(2);
    appendFileSync(file, '{"sequence":3,"at":"19');
    await write('act 3');
    expect(verifyTrail(data, KEY, null)).toMatchObject({ lines: 3, broken: null });
    writeFileSync(join(data, 'audit', '0000000004.jsonl'), '');
    await write('act 4');
    expect(verifyTrail(data, KEY, null)).toMatchObject({ lines: 4, broken: null });
  });

  it('leaves out what makes a line too long', async () => {
    await writeDown(data, KEY, { who: 'anna', what: 'apply', given: 'x'.repeat(100_000) }, 0);
    expect(readFileSync(trailFiles(data)[0] ?? '', 'utf8').length).toBeLessThan(1_000);
    expect(readdirSync(join(data, 'audit'))).toContain('lock');
    expect(broken()).toBeNull();
  });

  it('is told to the log line by line, from the last one at the start on', async () => {
    await written(2);
    const lines: string[] = [];
    const clock = manualClock();
    using _following = followTrail({ data, clock, log: openLog('info', { write: (line) => void lines.push(line) }) });
    await write('act 3');
    await write('act 4');
    await clock.advance(5_000);
    const told = lines.map((line) => JSON.parse(line));
    expect(told.map(({ event, sequence, who, what }) => ({ event, sequence, who, what }))).toEqual([
      { event: 'audit.written', sequence: 2, who: 'anna', what: 'act 2' },
      { event: 'audit.written', sequence: 3, who: 'anna', what: 'act 3' },
      { event: 'audit.written', sequence: 4, who: 'anna', what: 'act 4' },
    ]);
    expect(told.at(-1).mac).toBe(verifyTrail(data, KEY, null).last?.mac);
  });

  it('that gets shorter is told once, and goes on being told of', async () => {
    const file = await written(3);
    const lines: string[] = [];
    const clock = manualClock();
    using following = followTrail({ data, clock, log: openLog('info', { write: (line) => void lines.push(line) }) });
    const mac = verifyTrail(data, KEY, null).last?.mac;
    const told = () => lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'audit.cut');
    expect(following.last()).toEqual({ sequence: 3, mac });
    rmSync(dirname(file), { recursive: true });
    await clock.advance(5_000);
    await clock.advance(5_000);
    expect(told()).toMatchObject([{ sequence: 3, mac, endsWith: 0 }]);
    // Who verifies is told so by what the daemon has seen, also when others have written since.
    expect(following.last()).toEqual({ sequence: 3, mac });
    await write('act 1');
    await clock.advance(5_000);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ event: 'audit.written', sequence: 1 });
    expect(told()).toHaveLength(1);
  });

  it('that lost its last line, and not its file, is told, too', async () => {
    const file = await written(3);
    const lines: string[] = [];
    const clock = manualClock();
    using _following = followTrail({ data, clock, log: openLog('info', { write: (line) => void lines.push(line) }) });
    writeFileSync(file, `${linesOf(file).slice(0, 2).join('\n')}\n`);
    await clock.advance(5_000);
    // The line with which it ends now follows.
    expect(lines.slice(-2).map((line) => JSON.parse(line))).toMatchObject([
      { event: 'audit.cut', sequence: 3, endsWith: 2 },
      { event: 'audit.written', sequence: 2 },
    ]);
  });
});

describe('lines from the end', () => {
  it('are all there, the last one first, however long they are', async () => {
    const file = await written(3);
    const whole = readFileSync(file, 'utf8');
    const long = JSON.stringify({ sequence: 4, text: 'ö'.repeat(70_000) });
    appendFileSync(file, `${long}\n\n${'x'.repeat(65_535)}\nthe begin of a line`);
    const bodies = [...bodiesFromEnd(file)];
    expect(bodies.slice(0, 3)).toEqual(['the begin of a line', 'x'.repeat(65_535), long]);
    expect(bodies.slice(3).map((body) => JSON.parse(body).sequence)).toEqual([3, 2, 1]);
    expect(bodies[3]).not.toContain('mac');
    for (let cut = 0; cut < 40; cut++) {
      writeFileSync(file, `${'y'.repeat(65_536 - cut)}\n${whole}`);
      expect([...bodiesFromEnd(file)]).toHaveLength(4);
    }
  });

  it('are read no further than they are taken', async () => {
    const file = await written(1);
    expect(firstSequenceOf(file)).toBe(1);
    const line = readFileSync(file, 'utf8');
    // Longer than can be read at once: it takes no room on the disk.
    truncateSync(file, 5 * 2 ** 30);
    appendFileSync(file, `\n${line}`);
    expect(JSON.parse(bodiesFromEnd(file).next().value ?? '')).toMatchObject({ what: 'act 1' });
  });
});
