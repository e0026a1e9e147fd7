// The examining thread: one document after the other, in the order in which they come.
import { answerTasks } from '#runtime/threads/thread.ts';
import { inspect } from './examine.ts';
import { type Delivery, type Judged, judgeDelivery, type Opened, open } from './open.ts';
import type { DatedBody, Inspection } from './permit.ts';

export interface ExaminerTasks {
  inspect: { readonly asked: DatedBody; readonly found: Inspection };
  open: { readonly asked: Delivery; readonly found: Opened };
  judgeDelivery: { readonly asked: Delivery; readonly found: Judged };
}

answerTasks<ExaminerTasks>({ inspect, open, judgeDelivery });
