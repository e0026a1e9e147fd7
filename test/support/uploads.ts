// Invoices that a client uploads by the seam of the intake, and what of them a service was sent.
import { writeFileSync } from 'node:fs';
import type { Intake } from '#gateway/model/intake.ts';
import { invoice } from './documents.ts';
import type { ScriptedService } from './scripted-service.ts';

/** Resolves when the invoice of this number is in custody. */
export async function uploadInvoice(intake: Intake, home: string, id: string): Promise<void> {
  const bytes = Buffer.from(invoice({ id }));
  const opened = await intake.open({ home, folder: 'inbox', name: `${id}.xml`, login: 'erp', session: 'session', resume: false });
  writeFileSync(opened.path, bytes);
  await intake.commit(opened.upload, { size: bytes.length, sha256: null });
}

/** The numbers of the documents, in the order of the requests. */
export function numbersSent(service: ScriptedService): (string | undefined)[] {
  return service.creates().map(({ body }) => /<cbc:ID>([^<]+)/.exec(body.toString())?.[1]);
}
