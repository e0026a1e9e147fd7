// `npm run package:deb [-- FOLDER]`: builds the Debian package into the folder, ./ when none is named.
import { buildDeb, sourceDateOf } from './deb.ts';

process.stdout.write(`${await buildDeb(process.argv[2] ?? '.', sourceDateOf(process.env))}\n`);
