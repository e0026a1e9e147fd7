// After an install: builds ssh2's optional crypto add-ons for the pinned Node where a compiler is there.
// Plain JavaScript that old Nodes run; it never fails the install, and says in one line what came of it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRecent, NEEDED } from './node-version.cjs';

// biome-ignore lint/style/noProcessEnv: npm tells its scripts what they need in the environment
const environment = process.env;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const TOOLS = ['make', 'g++', 'python3'];
const STEP_MS_MAX = 300_000;

/** In an add-on that was built with Node's own object-wrap.h, which ends the process one day; src/object-wrap.h tells why. */
const FATAL = 'RemoveEnvironmentCleanupHook';

/**
 * The add-ons, smallest last: `load` is what ssh2 asks for, `before` a step that writes the build's settings, `wraps` says that it needs
 * our object-wrap.h.
 */
const ADDONS = [
  { folder: 'ssh2/lib/protocol/crypto', load: 'ssh2/lib/protocol/crypto/build/Release/sshcrypto.node', openssl: true, wraps: true },
  { folder: 'cpu-features', load: 'cpu-features', before: 'buildcheck.js' },
];

function main() {
  const home = join(modules, `node-${process.platform}-${process.arch}`);
  const node = join(home, 'bin', 'node');
  if (!existsSync(node)) return withoutPinnedNode();
  for (const addon of ADDONS) removeFatal(addon);
  const missing = ADDONS.filter((addon) => !loads(node, addon));
  if (missing.length === 0) return 'SSH crypto: the native add-on is there.';
  const absent = TOOLS.filter((tool) => spawnSync(tool, ['--version']).status !== 0);
  const gyp = environment.npm_config_node_gyp; // where npm keeps its own node-gyp
  if (absent.length > 0 || !gyp) {
    return `SSH crypto: plain JavaScript; it works, and needs more CPU. (Not built: ${absent.join(', ') || 'node-gyp'} missing.)`;
  }
  const failed = missing.find((addon) => !build(node, home, gyp, addon) || !loads(node, addon));
  return failed
    ? `SSH crypto: plain JavaScript; it works, and needs more CPU. (${failed.folder} did not build.)`
    : 'SSH crypto: the native add-on was built.';
}

function withoutPinnedNode() {
  if (isRecent) return `Runs with this machine's Node ${process.version}.`;
  return `No Node comes with Dropgate for ${process.platform} ${process.arch}, and this machine's ${process.version} is too old: install Node ${NEEDED} or later.`;
}

/** Plain JavaScript is better than an add-on that ends the process. */
function removeFatal({ load, wraps }) {
  const file = join(modules, load);
  if (wraps && existsSync(file) && readFileSync(file).includes(FATAL)) rmSync(file);
}

function loads(node, { load }) {
  return run(node, ['-e', `require(${JSON.stringify(load)})`], root);
}

/** node-gyp under the pinned Node, with its own headers: nothing is downloaded, whatever npm's settings say of another Node. */
function build(node, home, gyp, { folder, before, openssl, wraps }) {
  const cwd = join(modules, folder);
  const openSslMajor = spawnSync(node, ['-p', 'process.versions.openssl.split(".")[0]'], { encoding: 'utf8' }).stdout.trim();
  const settings = openssl ? [`--real_openssl_major=${openSslMajor}`] : [];
  if (before && !run('sh', ['-c', `"$0" ${before} > buildcheck.gypi`, node], cwd)) return false;
  return run(node, [gyp, 'rebuild', `--nodedir=${home}`, ...settings], cwd, {
    PATH: `${join(home, 'bin')}:${environment.PATH}`,
    npm_config_nodedir: home,
    // The same add-on wherever it is built: assertions name their files.
    CXXFLAGS: `-ffile-prefix-map="${root}"=. ${wraps ? `-include "${join(root, 'src', 'object-wrap.h')}"` : ''}`,
  });
}

function run(command, args, cwd, changed = {}) {
  const env = { ...environment, ...changed };
  const { status } = spawnSync(command, args, { cwd, stdio: 'ignore', timeout: STEP_MS_MAX, env });
  return status === 0;
}

try {
  process.stdout.write(`${main()}\n`);
} catch (error) {
  process.stdout.write(`SSH crypto: plain JavaScript. (${error instanceof Error ? error.message : error})\n`);
}
