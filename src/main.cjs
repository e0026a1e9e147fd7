#!/usr/bin/env node
// What starts first; src/main.ts is a link to it. Plain JavaScript that old Nodes run, so that they say in one sentence that they are too old.
const { isRecent, NEEDED } = require('./node-version.cjs');

if (isRecent) void import('./cli/main.ts');
else {
  const how = 'npm start and npx dropgate bring their own';
  process.stderr.write(`dropgate: this is Node ${process.version}, and Dropgate needs ${NEEDED} or later: ${how}\n`);
  process.exitCode = 78;
}
