// The licences of everything in the package, each text once.
import { type Inside, keyOf } from './inside.ts';

const HEAD = `Dropgate is unlicensed: all rights are reserved by its owner. Its package carries software of others, under the licences below.
`;
const LINE = '-'.repeat(78);

export function copyright(inside: readonly Inside[]): string {
  const sections = inside.map((each) => {
    const texts = each.texts.length > 0 ? each.texts : [`(The package has no text of its licence; it names ${each.licence}.)`];
    return [LINE, `${keyOf(each)}: ${each.licence}`, LINE, ...texts].join('\n\n');
  });
  return [HEAD, ...sections, ''].join('\n\n');
}
