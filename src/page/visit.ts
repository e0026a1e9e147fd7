// One request to the page by an operator who has logged in, and what pages make of it.

import type { Check } from '#admin/readiness.ts';
import type { OperatorRole } from '#gateway/model/operator.ts';
import type { AnswerOf, InputOf, OperationName } from '#operations/table.ts';
import type { Html } from './html.ts';

export interface Visit {
  readonly operator: string;
  readonly role: OperatorRole;
  /** What forms of this session carry. */
  readonly token: string;
  readonly query: URLSearchParams;
  readonly nowMs: number;
  /** Has an operation run in the operator's name. Throws what it throws. */
  ask<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<AnswerOf<Name>>;
  /** Whether the parts of the daemon answer. */
  readonly look: () => Promise<readonly Check[]>;
}

export interface View {
  readonly title: string;
  readonly body: Html;
}

export type Look = (visit: Visit) => Promise<View>;
