// The examining thread: one submission after the other, in the order in which they come.
import { answerTasks } from '#runtime/thread.ts';
import { type Examined, examine, type Submission } from './examine.ts';
import { type Delivery, type Opened, open } from './open.ts';

export interface ExaminerTasks {
  examine: { readonly asked: Submission; readonly found: Examined };
  open: { readonly asked: Delivery; readonly found: Opened };
}

answerTasks<ExaminerTasks>({ examine, open });
