// Findings as JSON of phive, the validation library whose results phoss-ap reads: two layers, the structure and the rules.
import Type from 'typebox';
import type { Finding } from '#domain/document.ts';

const Item = Type.Object({
  errorLevel: Type.Enum(['ERROR', 'WARN']),
  errorID: Type.String(),
  errorFieldName: Type.Optional(Type.String()),
  errorText: Type.String(),
});

const Layer = Type.Object({
  success: Type.Enum(['TRUE', 'FALSE', 'UNDEFINED']),
  validity: Type.Enum(['valid', 'invalid', 'skipped']),
  artifactType: Type.String(),
  artifactPathType: Type.String(),
  artifactPath: Type.String(),
  items: Type.Array(Item),
  durationMS: Type.Integer(),
});

/** What phive's PhiveJsonHelper reads back. */
export const PhiveResult = Type.Object({
  success: Type.Boolean(),
  interrupted: Type.Boolean(),
  mostSevereErrorLevel: Type.Enum(['SUCCESS', 'WARN', 'ERROR']),
  results: Type.Array(Layer),
  durationMS: Type.Integer(),
});

export type PhiveResult = Type.Static<typeof PhiveResult>;

/** By these types the access point chooses the reason that it sends: syntax, or a business rule. */
const STRUCTURE = 'xsd';
const RULES = 'schematron-xslt2';
const OF_STRUCTURE = /^(?:ubl-|json-shape$|envelope$)/;

export function phiveResultOf(findings: readonly Finding[]): PhiveResult {
  const ofStructure = findings.filter(({ rule }) => OF_STRUCTURE.test(rule));
  const ofRules = findings.filter(({ rule }) => !OF_STRUCTURE.test(rule));
  const isRefused = findings.some(isFatal);
  return {
    success: !isRefused,
    interrupted: false,
    mostSevereErrorLevel: isRefused ? 'ERROR' : findings.length > 0 ? 'WARN' : 'SUCCESS',
    results: [layerOf(STRUCTURE, ofStructure), layerOf(RULES, ofRules)],
    durationMS: 0,
  };
}

function layerOf(artifactType: string, findings: readonly Finding[]): PhiveResult['results'][number] {
  const isRefused = findings.some(isFatal);
  return {
    success: isRefused ? 'FALSE' : 'TRUE',
    validity: isRefused ? 'invalid' : 'valid',
    artifactType,
    // Neither a file nor an address: the name of who judged.
    artifactPathType: 'in-memory',
    artifactPath: 'dropgate',
    items: findings.map(({ rule, severity, message, path }) => ({
      errorLevel: severity === 'fatal' ? ('ERROR' as const) : ('WARN' as const),
      errorID: rule,
      ...(path !== undefined && { errorFieldName: path }),
      errorText: message,
    })),
    durationMS: 0,
  };
}

function isFatal({ severity }: Finding): boolean {
  return severity === 'fatal';
}
