// The bill of materials (CycloneDX 1.6) of the installed form: its packages, and what Node is made of.

import { ROOT } from './bundle.ts';
import { type Inside, json, keyOf } from './inside.ts';

/** Names in `process.versions` that are no software of their own. */
const NO_PARTS = ['node', 'modules', 'napi', 'unicode', 'cldr', 'tz'];
/** What Node takes from npm, by the names that it has there. */
const FROM_NPM: Readonly<Record<string, string>> = {
  acorn: 'acorn',
  amaro: 'amaro',
  cjs_module_lexer: 'cjs-module-lexer',
  undici: 'undici',
};
/** As the National Vulnerability Database names those who make it, and it: by these names advisories speak of what is no package. */
const IN_ADVISORIES: Readonly<Record<string, string>> = {
  ares: 'c-ares:c-ares',
  brotli: 'google:brotli',
  nghttp2: 'nghttp2:nghttp2',
  node: 'nodejs:node.js',
  openssl: 'openssl:openssl',
  sqlite: 'sqlite:sqlite',
  undici: 'nodejs:undici',
  uv: 'libuv:libuv',
  v8: 'google:v8',
  zlib: 'zlib:zlib',
};

export function billOfMaterials(inside: readonly Inside[], version: string, sourceDate: number): string {
  const { name } = json(`${ROOT}/package.json`);
  const ref = `${name}@${version}`;
  return `${JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: {
        timestamp: new Date(sourceDate * 1_000).toISOString(),
        component: { type: 'application', 'bom-ref': ref, name, version },
      },
      components: inside.map(componentOf),
      dependencies: [{ ref, dependsOn: inside.map(keyOf) }],
    },
    null,
    2,
  )}\n`;
}

function componentOf(each: Inside): object {
  const ref = keyOf(each);
  return {
    type: isNode(each) ? 'platform' : 'library',
    'bom-ref': ref,
    name: each.name,
    version: each.version,
    licenses: [/\s/.test(each.licence) ? { expression: each.licence } : { license: { id: each.licence } }],
    purl: purlOf('npm', each.name, each.version),
    hashes: [{ alg: 'SHA-512', content: Buffer.from(each.integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    ...(isNode(each) && { ...cpeOf('node', each.version), components: partsOfNode(ref) }),
  };
}

/** OpenSSL, V8, libuv and more: advisories name them. The Node that builds the package is the one in it; what it could have, and has not, has no version. */
function partsOfNode(node: string): object[] {
  return Object.entries(process.versions)
    .filter(([name, version]) => version && !NO_PARTS.includes(name))
    .map(([name, version = '']) => {
      const inNpm = FROM_NPM[name];
      const purl = inNpm === undefined ? purlOf('generic', name, version) : purlOf('npm', inNpm, version);
      return { type: 'library', 'bom-ref': `${node}/${name}`, name, version, purl, ...cpeOf(name, version) };
    });
}

function purlOf(type: 'npm' | 'generic', name: string, version: string): string {
  return `pkg:${type}/${name.split('/').map(encodeURIComponent).join('/')}@${encodeURIComponent(version)}`;
}

/** Without what Node's own builds add to the version. */
function cpeOf(name: string, version: string): { readonly cpe?: string } {
  const known = IN_ADVISORIES[name];
  return known === undefined ? {} : { cpe: `cpe:2.3:a:${known}:${version.split(/[-+]/, 1)[0]}:*:*:*:*:*:*:*` };
}

const isNode = ({ name }: Inside): boolean => name === `node-${process.platform}-${process.arch}`;
