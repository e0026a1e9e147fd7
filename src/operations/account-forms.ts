// Forms of what is set about an account of the core.
import { Type } from 'typebox';
import { PROFILE_POLICIES, SEVERITIES, VERIFY_MODES } from '#domain/validation.ts';

export const Features = Type.Object(
  { apiIntegration: Type.Boolean(), sftpIntegration: Type.Boolean(), capture: Type.Boolean() },
  { additionalProperties: false },
);

export const Validation = Type.Object(
  {
    severity: Type.Enum(SEVERITIES),
    profiles: Type.Enum(PROFILE_POLICIES),
    verify: Type.Enum([...VERIFY_MODES, 'default']),
  },
  { additionalProperties: false },
);
