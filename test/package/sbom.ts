// The bill of materials (CycloneDX 1.6) of the installed form: its packages, and what Node is made of.

import { ROOT } from './bundle.ts';
import { type Inside, json, keyOf } from './inside.ts';

/** Names in `process.versions` that are no software of their own. */
const NO_PARTS = ['node', 'modules', 'napi', 'unicode', 'cldr', 'tz'];

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
    purl: `pkg:npm/${each.name.replace('@', '%40')}@${each.version}`,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(each.integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    ...(isNode(each) && { components: partsOfNode(ref) }),
  };
}

/** OpenSSL, V8, libuv and more: advisories name them. The Node that builds the package is the one in it. */
function partsOfNode(node: string): object[] {
  return Object.entries(process.versions)
    .filter(([name]) => !NO_PARTS.includes(name))
    .map(([name, version = '']) => ({ type: 'library', 'bom-ref': `${node}/${name}`, name, version }));
}

const isNode = ({ name }: Inside): boolean => name === `node-${process.platform}-${process.arch}`;
