// How many documents of a list are asked for at a time: a service may refuse a page that is too large for it.

/** In the order in which they are tried. */
const SIZES = [100, 50, 20, 3] as const;

export const PAGE_MAX: number = SIZES[0];

/** The size to try where the service has answered 400, which takes nothing; undefined when it is not for the size. */
export function smallerPage(refused: number): number | undefined {
  return SIZES.find((each) => each < refused);
}
