// What a run between real access points did, in the words of docs/network.md.
import { basename } from 'node:path';
import type { FamilyName } from '#domain/family.ts';
import { recordedIn } from '../support/recorded.ts';
import type { CompanyName } from './companies.ts';
import type { Installed } from './installed.ts';

export class Transcript {
  readonly #versions: string;
  readonly #delivered = new Map<FamilyName, CompanyName[]>();
  readonly #findings: number[] = [];
  readonly #kills = new Map<string, number>();
  readonly #survived: { readonly what: string; readonly isToldDelivered: boolean }[] = [];
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

  survived(what: string, isToldDelivered: boolean): void {
    this.#survived.push({ what, isToldDelivered });
  }

  countriesKnown(): void {
    this.#areCountriesKnown = true;
  }

  text(): string {
    const counted = (from: readonly CompanyName[], who: CompanyName): number => from.filter((each) => each === who).length;
    const families = [...this.#delivered].map(
      ([family, from]) => `| ${family} | ${counted(from, 'seller')} delivered | ${counted(from, 'buyer')} delivered |`,
    );
    const findings = this.#findings.reduce((sum, each) => sum + each, 0);
    const kills = [...this.#kills].map(([victim, count]) => `| ${victim} | ${count} |`);
    const untold = this.#survived.filter(({ isToldDelivered }) => !isToldDelivered);
    const lost =
      untold.length === 0
        ? ['Each was told as delivered.']
        : ['Of these the answer of the receiver’s side was not seen:', '', ...untold.map(({ what }) => `* ${what}`)];
    return [
      `${this.#versions}.`,
      '',
      '| family | from the seller | from the buyer |',
      '| --- | --- | --- |',
      ...families,
      '',
      `${this.#findings.length} official invoices that break rules: all turned away, none in the outbox, and ${findings} findings in the sender’s receipts.`,
      '',
      '| killed and started again | times |',
      '| --- | --- |',
      ...kills,
      '',
      `${this.#survived.length} documents, one for each kill: all arrived, each once. ${lost.join('\n')}`,
      '',
      `Missing countries of receivers: ${this.#areCountriesKnown ? 'none, on both sides' : 'not asked for'}.`,
    ].join('\n');
  }

  /** Into the documentation, in place of the last run's. */
  record(): void {
    recordedIn('network.md', 'access points').replace(this.text());
  }
}
