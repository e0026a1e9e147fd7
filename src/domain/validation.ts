// How strictly an account's documents are judged.

export const SEVERITIES = ['strict', 'warn'] as const;
export const PROFILE_POLICIES = ['known', 'any'] as const;

export const VERIFY_MODES = ['refuse', 'warn', 'off'] as const;

/** What becomes of a received document that breaks rules, before its sender is told that it was accepted. */
export type VerifyMode = (typeof VERIFY_MODES)[number];

export interface Validation {
  /** `strict`: a document that breaks a fatal rule is refused. `warn`: what rules find are warnings; a broken structure is refused still. */
  readonly severity: (typeof SEVERITIES)[number];
  /** `known`: only documents of profiles whose rules we have. `any`: others pass, with their structure checked. */
  readonly profiles: (typeof PROFILE_POLICIES)[number];
  /** Of what it receives, where an access point asks; `default`: as the service has it (core.network.verify). */
  readonly verify: VerifyMode | 'default';
}

export const STRICT: Validation = { severity: 'strict', profiles: 'known', verify: 'default' };
/** Every rule is applied, and none refuses the document. */
export const LENIENT: Validation = { ...STRICT, severity: 'warn', profiles: 'any' };
