// A daemon that uploads to itself, by the intake that SFTP and watched folders use: what the pipeline costs without SSH. Reads loads from
// standard input, a line of JSON each, and writes what became of each as a line of JSON to the descriptor 3: the log goes to standard output.
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { startDaemon } from '#cli/daemon.ts';
import type { Intake } from '#gateway/model/intake.ts';
import { prepareData } from '#installation/data-folder.ts';
import { sizeThreadPool } from '#runtime/config/environment.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { openStandardLog } from '#runtime/log.ts';
import { type Load, now, type Upload, uploadAll } from './pipeline-load.ts';

const SESSION = 'bench';
const ANSWERS = 3;

sizeThreadPool();
const { config } = loadConfig(process.argv[2], 'all');
prepareData(config.data);
const logSettings = { level: config.log.level, form: 'json' } as const;
const daemon = await startDaemon({
  config,
  passed: null,
  log: openStandardLog(logSettings),
  logSettings,
  failed(error) {
    throw error;
  },
  lost(sentence) {
    throw new Error(sentence);
  },
});
const { intake } = daemon;
if (!intake) throw new Error('the configuration lets no gateway run');
const lines = createInterface({ input: process.stdin });
lines.on('line', async (line) => {
  const load: Load = JSON.parse(line);
  const uploads = await uploadAll(
    load,
    Array.from({ length: load.atOnce }, () => uploadInto(intake)),
  );
  answer(uploads);
});
answer('ready');
await once(lines, 'close');
await daemon.stop(AbortSignal.abort());
process.exit();

function answer(value: unknown): void {
  let text = Buffer.from(`${JSON.stringify(value)}\n`);
  while (text.length > 0) text = text.subarray(writeSync(ANSWERS, text));
}

function uploadInto(way: Intake): Upload {
  return async (name, bytes) => {
    const { upload, path } = await way.open({
      home: 'seller',
      folder: 'inbox',
      name,
      login: 'erp',
      session: SESSION,
      resume: false,
    });
    // It is there already; SFTP cuts nothing from it either.
    writeFileSync(path, bytes, { flag: 'r+' });
    const before = now();
    await way.commit(upload, { size: bytes.length, sha256: hash('sha256', bytes) });
    return now() - before;
  };
}
