// Runs commands in this process, one after the other, and writes into the file RAN, a line of JSON for each, its words, its exit status, how often it
// asked somebody by HTTP, and the addresses of the modules that it was the first to load.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const [node, , configFile, ...commands] = process.argv;
let [loaded, asked] = [[], 0];
subscribe('http.client.request.start', () => asked++);
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
for (const words of commands) {
  process.argv = [node, 'dropgate', ...words.split(' '), '--config', configFile];
  // As another module each time, so that it runs again.
  await import(`../../src/cli/main.ts?${words}`);
  appendFileSync(process.env.RAN ?? '', `${JSON.stringify({ words, status: process.exitCode, asked, loaded })}\n`);
  [loaded, asked] = [[], 0];
}
process.exit();
