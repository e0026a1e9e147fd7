// What a run between real access points did, in the words of docs/network.md.
import { basename } from 'node:path';
import type { FamilyName } from '#domain/family.ts';
import { recordedIn } from '../support/recorded.ts';
import type { CompanyName } from './companies.ts';
import type { Installed } from './installed.ts';

export type End = 'delivered' | 'sent' | 'turned away';

export class Transcript {
  readonly #place = recordedIn('docs/network.md', 'access points');
  readonly #versions: string;
  readonly #delivered = new Map<FamilyName, CompanyName[]>();
  readonly #findings: number[] = [];
  readonly #kills = new Map<string, number>();
  readonly #ends: { readonly what: string; readonly end: End }[] = [];
  #areCountriesKnown = false;

  constructor({ jar, java }: Installed, postgres: string) {
    const version = /phoss-ap-webapp-(.+)\.jar$/.exec(basename(jar))?.[1] ?? basename(jar);
    this.#versions = `phoss-ap ${version}, Java ${java.version}, ${postgres.replace(/^postgres \(PostgreSQL\) /, 'PostgreSQL ')}`;
  }

  delivered(family: FamilyName, from: CompanyName): void {
    this.#delivered.set(family, [...(this.#delivered.get(family) ?? []), from]);
  }

  turnedAway(findings: number): void {
    this.#findings.push(findings);
  }

  killed(victim: string): void {
    this.#kills.set(victim, (this.#kills.get(victim) ?? 0) + 1);
  }

  /** A document that somebody was killed for. */
  survived(what: string, end: End): void {
    this.#ends.push({ what, end });
  }

  countriesKnown(): void {
    this.#areCountriesKnown = true;
  }

  /** Every test came to its end. */
  isWhole(): boolean {
    return this.#areCountriesKnown && this.#ends.length > 0 && this.#findings.length > 0;
  }

  text(): string {
    const counted = (from: readonly CompanyName[], who: CompanyName): number => from.filter((each) => each === who).length;
    const families = [...this.#delivered].map(
      ([family, from]) => `| ${family} | ${counted(from, 'seller')} delivered | ${counted(from, 'buyer')} delivered |`,
    );
    const findings = this.#findings.reduce((sum, each) => sum + each, 0);
    const kills = [...this.#kills].map(([victim, count]) => `| ${victim} | ${count} |`);
    const ending = (wanted: End): string[] => this.#ends.flatMap(({ what, end }) => (end === wanted ? [`* ${what}`] : []));
    const arrived = this.#ends.length - ending('turned away').length;
    return [
      `${this.#versions}.`,
      '',
      '| family | from the seller | from the buyer |',
      '| --- | --- | --- |',
      ...families,
      '',
      `${this.#findings.length} official invoices and credit notes that break rules: all turned away, none in the outbox, and ${findings} findings in the sender’s receipts.`,
      '',
      '| killed and started again | times |',
      '| --- | --- |',
      ...kills,
      '',
      `${arrived} of the ${this.#ends.length} documents under way arrived, each once, and ${ending('delivered').length} senders were told \`delivered\`.`,
      ...listed('The answer of the receiver’s side did not come within a minute, and the sender knows `sent`:', ending('sent')),
      ...listed('Refused, as the sender was told, since nobody was there to verify it:', ending('turned away')),
      '',
      `Missing countries of receivers: ${this.#areCountriesKnown ? 'none, on both sides' : 'not asked for'}.`,
    ].join('\n');
  }

  /** Into the documentation, in place of the last run's. */
  record(): void {
    this.#place.replace(this.text());
  }
}

function listed(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : ['', title, '', ...items];
}
