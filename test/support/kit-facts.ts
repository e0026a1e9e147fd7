// What a connection kit is made of, for a login that nobody has set anything about.

import { namesOf } from '#gateway/model/layout.ts';
import type { KitFacts } from '#operations/kit/facts.ts';

export const KIT_FACTS: KitFacts = {
  login: 'erp',
  host: 'sftp.example',
  port: 22,
  byKey: false,
  byPassword: true,
  folders: [],
  names: namesOf(undefined),
  kinds: [],
  resultsIn: [],
  answers: [],
  isShared: false,
  hostKeys: [],
  fileMaxBytes: 1_000,
  receipts: 'json',
  readOnly: false,
  rules: '',
  keepAcceptedMs: 30 * 86_400_000,
  keepReceiptsMs: 12 * 3_600_000,
  partialsKeptMs: 20 * 60_000,
};
