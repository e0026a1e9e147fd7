// Whether the error of one amount is all that is wrong with another: by the figures that the sentences of the rules tell.
import type { GroupedFinding } from '#domain/receipt.ts';

/** As long as an amount is: a service may send anything, and what it sends must not be searched for long. */
const FIGURE = String.raw`-?[\d,]{1,30}(?:\.\d{1,20})?`;
/** Sentences of the rules are shorter. */
const SENTENCE_MAX = 400;
/** 'The total of VAT is 99.00, but its subtotals add up to 120.00: correct …' */
const STATED = new RegExp(` is (${FIGURE}),? but (.*?)(${FIGURE}): correct`);
/** '25 % of 1,000.00 is' */
const SHARE = new RegExp(`(${FIGURE}) % of (${FIGURE}) is`);
const RATE = new RegExp(`(${FIGURE}) % `);

/** Rules that let an amount be off by less than one; of the others each cent counts. */
const WITHIN_ONE = /^BR-(?:CO-17|[A-Z]+-0[89])$/;
const LESS_THAN_A_CENT = 0.005;

interface Figures {
  readonly stated: number;
  readonly worked: number;
}

function numberOf(figure: string | undefined): number {
  return Number(figure?.replaceAll(',', ''));
}

/** What the document states, and what the rule has worked out; null where the sentence tells no figures, or those of several places. */
function figuresOf({ message }: GroupedFinding): Figures | null {
  const [, stated, , worked] = message.length > SENTENCE_MAX ? [] : (STATED.exec(message) ?? []);
  return stated === undefined || worked === undefined ? null : { stated: numberOf(stated), worked: numberOf(worked) };
}

/** Corrected as the cause says, what was worked out for the other amount becomes this. */
function isRight({ rule, places }: GroupedFinding, { stated }: Figures, worked: number): boolean {
  return !places && Math.abs(stated - worked) < (WITHIN_ONE.test(rule) ? 1 : LESS_THAN_A_CENT);
}

/** `signs`: whether the amount of the cause is added or subtracted where the other one is worked out; both where it may be either. */
export function explains(...signs: readonly (1 | -1)[]): (cause: GroupedFinding, follow: GroupedFinding) => boolean {
  return (cause, follow) => {
    const [wrong, other] = [figuresOf(cause), figuresOf(follow)];
    if (!wrong || !other) return false;
    const times = 1 + (cause.places?.length ?? 0);
    return signs.some((sign) => isRight(follow, other, other.worked - sign * times * (wrong.stated - wrong.worked)));
  };
}

/** A taxable amount, and the VAT on it. */
export function explainsShare(cause: GroupedFinding, follow: GroupedFinding): boolean {
  const [taxable, vat] = [figuresOf(cause), figuresOf(follow)];
  const [, rate, base] = SHARE.exec(follow.message) ?? [];
  if (!taxable || !vat || numberOf(base) !== taxable.stated) return false;
  return isRight(follow, vat, (taxable.worked * numberOf(rate)) / 100);
}

export function sameFigures(cause: GroupedFinding, follow: GroupedFinding): boolean {
  const [one, other] = [figuresOf(cause), figuresOf(follow)];
  return one !== null && one.stated === other?.stated && one.worked === other.worked;
}

/** The subtotal has more than its lines add up to: one of them is not counted. */
export function lacks(_: GroupedFinding, follow: GroupedFinding): boolean {
  const figures = figuresOf(follow);
  return figures !== null && figures.stated > figures.worked;
}

/** It is about the rate that the cause finds wrong, and its VAT is right at one that the cause names. */
export function isOfThatRate({ value, message }: GroupedFinding, follow: GroupedFinding): boolean {
  if (numberOf(RATE.exec(follow.message)?.[1]) !== Number(value)) return false;
  const [, , base] = SHARE.exec(follow.message) ?? [];
  const figures = figuresOf(follow);
  if (base === undefined || !figures) return true;
  const rates = message.slice(message.lastIndexOf(' to ')).match(/\d+/g) ?? [];
  return rates.some((rate) => isRight(follow, figures, (numberOf(base) * Number(rate)) / 100));
}
