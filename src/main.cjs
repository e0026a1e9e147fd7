#!/usr/bin/env node
// What starts first; src/main.ts is a link to it. Plain JavaScript that old Nodes run, so that they say in one sentence that they are too old.
const { isRecent, NEEDED } = require('./node-version.cjs');

if (isRecent) {
  // What Node has compiled is kept beside the packages, where their owner alone writes: a command starts in half the time.
  require('node:module').enableCompileCache(require('node:path').join(__dirname, '../node_modules/.cache/compiled'));
  void import('./cli/main.ts');
} else {
  const how = 'npm start and npx dropgate bring their own';
  process.stderr.write(`dropgate: this is Node ${process.version}, and Dropgate needs ${NEEDED} or later: ${how}\n`);
  process.exitCode = 78;
}
