// What follows from what among findings: a row says when one finding can only be there because of another, and is gone with it.
import type { Finding } from '#domain/document.ts';
import type { GroupedFinding } from '#domain/receipt.ts';
import { ABOUT_VAT } from '#rules/about-vat.ts';
import { explains, explainsShare, isOfThatRate, lacks, sameFigures } from './explained-amounts.ts';

type Found = readonly GroupedFinding[];

/** Of all findings those that a row speaks of. */
interface Among {
  readonly causes: Found;
  readonly follows: Found;
  /** And all others. */
  readonly found: Found;
}

type Condition = (cause: GroupedFinding, follow: GroupedFinding, among: Among) => boolean;

interface Consequence {
  readonly cause: RegExp;
  readonly follows: RegExp;
  /** More than the rules, where they alone do not tell: what else may be wrong stays a finding of its own. */
  readonly when?: Condition;
}

/** The categories in the names of rules. */
const VAT = '(?:AE|AF|AG|B|E|G|IC|O|S|Z)';
/** What else may change the share of a category and rate. */
const OF_SHARES = new RegExp(`^(?:PEPPOL-EN16931-R120|BR-CL-1[78]|BR-CO-(?:04|10|17)|SE-R-006|BR-${VAT}-0[189])$`);
const TOTAL_OF_VAT = /^\/\w+\/cac:TaxTotal(?:\[\d+\])?\/cbc:TaxAmount$/;
const OF_SUBTOTALS = /\/cac:TaxSubtotal/;
const OF_DOCUMENT = /^\/\w+\/cac:AllowanceCharge/;
const OF_LINES = /Line(?:\[\d+\])?\/cac:Item\//;

// biome-ignore format: one row, one consequence
const CONSEQUENCES: readonly Consequence[] = [
  { cause: /^tax-scheme$/, follows: ABOUT_VAT, when: isOfScheme },
  // The currency of the document: what is in another one, and the totals that are looked for in it.
  { cause: /^BR-CL-04$/, follows: /^BR-CO-15$/, when: says(/^No total of VAT/) },
  { cause: /^BR-CL-0[45]$/, follows: /^BR-53$/, when: all(causeAt(/TaxCurrencyCode$/), without(/R054$/)) },
  { cause: /^BR-(?:CL-04|05)$/, follows: /^PEPPOL-EN16931-R051$/, when: isOfMost },
  { cause: /^PEPPOL-EN16931-R051$/, follows: /^BR-CO-15$/, when: all(says(/^No total of VAT/), causeAt(TOTAL_OF_VAT)) },
  // VAT that is not split up.
  { cause: /^BR-CO-18$/, follows: rules(`^(?:BR-${VAT}-01|PEPPOL-EN16931-R053)$`) },
  { cause: /^BR-CO-18$/, follows: /^PEPPOL-EN16931-R054$/, when: all(says(/^A (?:cac:)?TaxTotal has no/), followAt(/TaxTotal$/)) },
  { cause: /^BR-CO-18$/, follows: /^BR-CO-15$/, when: all(says(/^No total of VAT/), causeAt(/^\/\w+$/), without(/R051$/)) },
  // A category or a rate that is none is that of the lines, or of the subtotal, which then miss their share.
  { cause: /^BR-CL-17$/, follows: rules(`^BR-${VAT}-01$`), when: all(single, causeOnlyAt(OF_SUBTOTALS)) },
  { cause: /^BR-CL-18$/, follows: rules(`^BR-${VAT}-08$`), when: all(single, lacks, without(OF_SHARES), causeOnlyAt(OF_LINES)) },
  { cause: /^BR-CO-04$/, follows: /^UBL-SR-48$/, when: all(says(/ has 0 of /), samePlaces) },
  { cause: /^BR-CO-04$/, follows: rules(`^BR-${VAT}-08$`), when: all(single, lacks, without(OF_SHARES)) },
  { cause: /^SE-R-006$/, follows: /^BR-CO-17$|^BR-S-09$/, when: all(causeOnlyAt(OF_SUBTOTALS), isOfThatRate) },
  { cause: /^SE-R-006$/, follows: /^BR-S-08$/, when: all(causeOnlyAt(OF_SUBTOTALS), isOfThatRate, says(/add up to 0\.00:/), othersAreOfThatRate) },
  { cause: /^SE-R-006$/, follows: /^BR-S-08$/, when: all(single, lacks, without(OF_SHARES), causeOnlyAt(OF_LINES)) },
  // What is missing, and what cannot be worked out without it.
  { cause: /^PEPPOL-EN16931-R001$/, follows: /^PEPPOL-EN16931-R007$/, when: says(/^An empty value/) },
  { cause: /^BR-12$/, follows: /^BR-CO-1[03]$/, when: says(/is not given|LineExtensionAmount is missing/) },
  { cause: /^BR-13$/, follows: /^BR-CO-1[35]$/, when: says(/is not given|TaxExclusiveAmount is missing/) },
  { cause: /^BR-14$/, follows: /^BR-CO-1[56]$/, when: says(/is not given|TaxInclusiveAmount is missing/) },
  { cause: /^BR-(?:S|Z|E|AE|IC|G|AF|AG)-0[2-4]$/, follows: /^BR-CO-26$/, when: all(samePlaces, causeSays(/the seller has no tax number/)) },
  // An amount that is wrong, and the sums that are right without its error.
  { cause: /^PEPPOL-EN16931-R040$/, follows: /^PEPPOL-EN16931-R120$/, when: all(sameLine, explains(1, -1)) },
  { cause: /^PEPPOL-EN16931-R040$/, follows: rules(`^BR-CO-1[12]$|^BR-${VAT}-08$`), when: all(causeOnlyAt(OF_DOCUMENT), explains(1, -1)) },
  { cause: /^PEPPOL-EN16931-R120$/, follows: rules(`^BR-CO-10$|^BR-${VAT}-08$`), when: explains(1) },
  { cause: rules(`^BR-${VAT}-08$`), follows: rules(`^BR-CO-17$|^BR-${VAT}-09$`), when: all(sameSubtotal, explainsShare) },
  { cause: /^BR-CO-17$/, follows: rules(`^BR-${VAT}-09$`), when: all(samePlaces, sameFigures) },
  { cause: /^BR-CO-17$/, follows: /^BR-CO-14$/, when: explains(1) },
  { cause: /^BR-CO-1[02]$/, follows: /^BR-CO-13$/, when: explains(1) },
  { cause: /^BR-CO-11$/, follows: /^BR-CO-13$/, when: explains(-1) },
  { cause: /^BR-CO-1[34]$/, follows: /^BR-CO-15$/, when: explains(1) },
  { cause: /^BR-CO-15$/, follows: /^BR-CO-16$/, when: explains(1) },
];

/** Findings of which it is asked what follows from what; our rules tell no more, and a service that does is shown as it is. */
const FOUND_MAX = 200;

/** For each finding that has any, what follows from it. Nothing follows twice, and what follows has no followers of its own. */
export function followersIn(found: Found): ReadonlyMap<GroupedFinding, Found> {
  const followers = new Map<GroupedFinding, GroupedFinding[]>();
  const below = new Set<GroupedFinding>();
  if (found.length > FOUND_MAX) return followers;
  for (const { cause, follows, when } of CONSEQUENCES) {
    const among = { causes: found.filter(({ rule }) => cause.test(rule)), follows: found.filter(({ rule }) => follows.test(rule)), found };
    for (const leader of among.causes) {
      for (const follow of among.follows) {
        if (follow === leader || below.has(leader) || below.has(follow) || followers.has(follow)) continue;
        // What refuses a document is never told below what only warns.
        if (follow.severity === 'fatal' && leader.severity === 'warning') continue;
        if (when && !when(leader, follow, among)) continue;
        below.add(follow);
        followers.set(leader, [...(followers.get(leader) ?? []), follow]);
      }
    }
  }
  return followers;
}

function rules(names: string): RegExp {
  return new RegExp(names);
}

function all(...conditions: readonly Condition[]): Condition {
  return (...asked) => conditions.every((holds) => holds(...asked));
}

function says(words: RegExp): Condition {
  return (_, { message }) => words.test(message);
}

function causeSays(words: RegExp): Condition {
  return ({ message }) => words.test(message);
}

/** Nothing else of these rules was found: it would have the same consequence. */
function without(others: RegExp): Condition {
  return (cause, follow, { found }) => !found.some((each) => each !== cause && each !== follow && others.test(each.rule));
}

function othersAreOfThatRate(cause: GroupedFinding, follow: GroupedFinding, { found }: Among): boolean {
  return found.every((each) => each === cause || each === follow || !OF_SHARES.test(each.rule) || isOfThatRate(cause, each));
}

/** That there is no breakdown at all, and that a category misses there whose code is wrong, has nothing to do with the scheme. */
function isOfScheme(_: GroupedFinding, { rule }: GroupedFinding, { found }: Among): boolean {
  if (rule === 'BR-CO-18') return false;
  return !rule.endsWith('-01') || !found.some((each) => /^BR-(?:CO-18|CL-17)$/.test(each.rule));
}

type At = Pick<Finding, 'path' | 'pointer'>;

function pathsOf(finding: GroupedFinding): readonly string[] {
  return [finding, ...(finding.places ?? [])].map(({ path = '' }: At) => path);
}

function causeAt(place: RegExp): Condition {
  return (cause) => pathsOf(cause).some((path) => place.test(path));
}

function causeOnlyAt(place: RegExp): Condition {
  return (cause) => pathsOf(cause).every((path) => place.test(path));
}

function followAt(place: RegExp): Condition {
  return (_, follow) => pathsOf(follow).every((path) => place.test(path));
}

function samePlaces(cause: GroupedFinding, follow: GroupedFinding): boolean {
  return `${pathsOf(cause)}` === `${pathsOf(follow)}`;
}

function sameLine(cause: GroupedFinding, { path = '' }: GroupedFinding): boolean {
  const line = path.slice(0, path.lastIndexOf('/') + 1);
  return !cause.places && line !== '' && cause.path?.startsWith(line) === true;
}

const subtotalOf = ({ path = '' }: At): string => path.slice(0, path.lastIndexOf('/'));

function sameSubtotal(cause: GroupedFinding, follow: GroupedFinding): boolean {
  return !cause.places && !follow.places && subtotalOf(cause) === subtotalOf(follow);
}

/** One cause, one consequence: of several nobody can tell what belongs together. */
function single(_: GroupedFinding, __: GroupedFinding, { causes, follows }: Among): boolean {
  return causes.length === 1 && follows.length === 1 && !follows[0]?.places;
}

/** Of amounts in several currencies, those in the one that most have are right once the document says so. */
function isOfMost(_: GroupedFinding, follow: GroupedFinding, { follows }: Among): boolean {
  const most = pathsOf(follow).length;
  return follows.every((other) => other === follow || pathsOf(other).length < most);
}
