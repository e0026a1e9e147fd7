// The program in the form that is installed: JavaScript in few files that lie in one folder, with source maps. What starts is main.mjs.
// ssh2 stays a package beside it, for Dropgate changes parts of it by their paths, and it loads its add-ons by theirs.
import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type OutputOptions, type Plugin, rolldown } from 'rolldown';

export const ROOT = resolve(import.meta.dirname, '../..');
const SOURCES = join(ROOT, 'src');
/** Resolved when the program runs; pg asks for its native variant, and goes on without. */
const OUTSIDE = ['ssh2', /^ssh2\//, 'pg-native'];
/** How the sources name a file beside them: the entry of a thread, the program itself, a sample. */
const FILE_BESIDE = /new URL\('(\.[^']+)', import\.meta\.url\)/g;
const IS_CODE = /\.(?:ts|mjs)$/;
const ENTRY = 'main.mjs';
/**
 * Each thread keeps the text of what it has loaded: as ASCII, for V8 takes twice the memory for a text with a single character beyond Latin-1, and without
 * spaces, comments and the names of local variables. Stack traces keep the names of functions.
 */
const SHORT: OutputOptions = {
  charset: 'ascii',
  comments: false,
  minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
};

/** Writes it into the folder; returns its files, each with the modules that went into it. */
export async function bundle(folder: string): Promise<Map<string, readonly string[]>> {
  await using build = await rolldown({
    input: { main: join(SOURCES, 'installed.mjs') },
    cwd: ROOT,
    platform: 'node',
    external: OUTSIDE,
    plugins: [filesBeside()],
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    ...SHORT,
    // The same wherever it is built.
    sourcemapPathTransform: (source, map) => relative(ROOT, resolve(dirname(map), source)),
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    assetFileNames: '[name][extname]',
  });
  return new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.moduleIds] as const] : [])));
}

/** Entries of threads become files of their own, and what is no code is copied. */
function filesBeside(): Plugin {
  return {
    name: 'files-beside',
    transform(code, id) {
      if (!id.startsWith(SOURCES) || !code.includes('import.meta.url')) return null;
      const replaced = code.replaceAll(FILE_BESIDE, (_whole, path: string) => {
        const file = realpathSync(resolve(dirname(id), path));
        if (file === join(SOURCES, 'main.cjs')) return `new URL('${ENTRY}', import.meta.url)`;
        const emitted = IS_CODE.test(file)
          ? this.emitFile({ type: 'chunk', id: file })
          : this.emitFile({ type: 'asset', name: basename(file), source: readFileSync(file) });
        return `new URL(import.meta.ROLLUP_FILE_URL_${emitted})`;
      });
      // Each replacement stays within its line.
      return { code: replaced, map: null };
    },
  };
}
