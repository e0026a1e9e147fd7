// How strictly an account's documents are judged.

export const SEVERITIES = ['strict', 'warn'] as const;
export const PROFILE_POLICIES = ['known', 'any'] as const;

export interface Validation {
  /** `strict`: a document that breaks a fatal rule is refused. `warn`: what rules find are warnings; a broken structure is refused still. */
  readonly severity: (typeof SEVERITIES)[number];
  /** `known`: only documents of profiles whose rules we have. `any`: others pass, with their structure checked. */
  readonly profiles: (typeof PROFILE_POLICIES)[number];
}

export const STRICT: Validation = { severity: 'strict', profiles: 'known' };
