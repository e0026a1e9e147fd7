// Floods in the XML of somebody whom nobody trusts yet: refused before they cost more than reading a few thousand elements does.
import { expect, it } from 'vitest';
import { canonicalXml, readNamed } from '#ubl/canonical-xml.ts';
import { costOf } from '../../support/cost.ts';

const many = (count: number, write: (at: number) => string): string => Array.from({ length: count }, (_, at) => write(at)).join('');
const namespaces = (count: number): string => many(count, (at) => ` xmlns:n${at}="urn:${at}"`);

/** The first two took ten seconds each. */
const PROCESSOR_MS_MAX = 2_000;

it.each([
  ['namespaces that hold for many elements', `<r${namespaces(2_000)}>${many(15_000, () => '<n1:x/>')}</r>`],
  ['namespaces that many elements use', `<r${namespaces(2_000)}>${many(15_000, (at) => `<x n${at % 2_000}:y=""/>`)}</r>`],
  ['namespaces, one more on each level', `${many(63, (at) => `<x${namespaces(60)} xmlns:m${at}="urn:m">`)}${'</x>'.repeat(63)}`],
  ['attributes of one element', `<r${many(80_000, (at) => ` a${at}=""`)}/>`],
  ['attributes of many elements', `<r>${many(15_000, () => '<x a="" b=""/>')}</r>`],
  ['elements', `<r>${'<x/>'.repeat(250_000)}</r>`],
  ['elements inside each other', '<x>'.repeat(150_000)],
])('refuses %s', async (_, text) => {
  const refuse = (): void => expect(() => readNamed(Buffer.from(text))).toThrow(/too many (namespaces|attributes|elements)/);
  expect(await costOf(refuse, PROCESSOR_MS_MAX)).toBeLessThan(PROCESSOR_MS_MAX);
});

it('reads and writes what is as large as it may be', async () => {
  const work = (): void => {
    const root = readNamed(Buffer.from(`<r${namespaces(60)}>${many(19_000, (at) => `<n${at % 60}:x a=""/>`)}</r>`));
    for (const exclusive of [true, false]) expect(canonicalXml(root, { exclusive })).toContain('<n59:x');
  };
  expect(await costOf(work, PROCESSOR_MS_MAX)).toBeLessThan(PROCESSOR_MS_MAX);
});
