// Loaded before a program: writes the address of each module that the program has loaded into the file LOADED, a line each.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env.LOADED ?? '', loaded.join('\n')));
