// An access point behind a folder, as phoss-ap's directory sender and file system forwarder have it:
//
//   out/ID.xml               an envelope, put there by a rename; the access point takes `*.xml` only
//   out/ID.json              what it is about; there before the envelope, and the mark that it was handed over
//   out/staged/ID.xml        an envelope that is not handed over yet
//   out/pending/ID.xml       the access point works on it
//   out/success/ID.xml.json  its result; out/error/ID.xml.json, too
//   in/NAME.xml              what came, put there by a rename (folder-reception.ts)

import { existsSync, lstatSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from '#domain/error.ts';
import { parsedJson } from '#domain/json.ts';
import { ensureFolder, FolderSync, replaceDurable, writeDurable } from '#runtime/files/durable.ts';
import { type AccessPoint, type Progress, REPORTED_CHARACTERS_MAX, type TransmissionMeta } from './access-point.ts';
import { type ReceptionParts, receiveFiles } from './folder-reception.ts';

interface FolderAccessPointSettings {
  /** The folder that holds `out` and `in`. */
  readonly folder: string;
  /** The access point writes result files; without them an envelope that it has taken counts as sent. */
  readonly results: boolean;
}

const FILE_MODE = 0o660;
const RESULT_BYTES_MAX = 256 * 1024;

const ResultFile = Compile(Type.Object({ success: Type.Boolean(), errorDetails: Type.Optional(Type.String()) }));

export function openFolderAccessPoint({ clock, log }: ReceptionParts, { folder, results }: FolderAccessPointSettings): AccessPoint {
  const out = ensureFolder(folder, 'out');
  const staging = ensureFolder(out, 'staged');
  const folders = new FolderSync();
  const placesOf = (instanceId: string) => ({
    staged: join(staging, `${instanceId}.xml`),
    side: join(out, `${instanceId}.json`),
    envelope: join(out, `${instanceId}.xml`),
    pending: join(out, 'pending', `${instanceId}.xml`),
    success: join(out, 'success', `${instanceId}.xml.json`),
    error: join(out, 'error', `${instanceId}.xml.json`),
  });

  return {
    reportsResponses: false,
    // Its folders are ours, too: they say at once what was handed over.
    settlesWithinMs: 0,
    /** 'The side file is there and the staged one is not' means 'handed over': a crash neither forgets nor repeats. */
    async send(bytes, meta) {
      const { staged, side, envelope } = placesOf(meta.instanceId);
      if (!existsSync(side)) {
        rmSync(staged, { force: true });
        await writeDurable(staged, bytes, { mode: FILE_MODE, folders });
        await replaceDurable(side, sideFile(meta), { mode: FILE_MODE });
      }
      if (existsSync(staged)) renameSync(staged, envelope);
      await folders.sync(out);
      return { accessPointId: meta.instanceId, sent: false, reason: null };
    },

    /** Looks along the way that the access point moves files, so that none passes unseen. */
    async status(instanceId) {
      const { staged, side, envelope, pending, success, error } = placesOf(instanceId);
      if (existsSync(staged) && existsSync(side)) return UNKNOWN;
      if (existsSync(envelope) || existsSync(pending)) return WORKING;
      for (const path of [success, error]) {
        const result = resultIn(path);
        if (!result) continue;
        rmSync(side, { force: true });
        return result;
      }
      if (!existsSync(side)) return UNKNOWN;
      return results ? WORKING : SENT;
    },

    receive: (handle) => receiveFiles({ clock, log }, ensureFolder(folder, 'in'), handle),
  };
}

/** Never handed over, or marked and not moved yet: `send` completes that. */
const UNKNOWN: Progress = { state: 'unknown', reason: null, responseCode: null };
const WORKING: Progress = { state: 'working', reason: null, responseCode: null };
const SENT: Progress = { state: 'sent', reason: null, responseCode: null };

function sideFile({ instanceId, sender, receiver, documentType, process, country }: TransmissionMeta): Uint8Array {
  const fields = { sbdhInstanceID: instanceId, senderID: sender, receiverID: receiver, docTypeID: documentType, processID: process };
  return Buffer.from(`${JSON.stringify({ ...fields, countryC1: country }, null, 2)}\n`);
}

/** Null when there is no result file yet; one that cannot be read is still being written. */
function resultIn(path: string): Progress | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  const result = stat.isFile() && stat.size <= RESULT_BYTES_MAX ? parsedJson(readFileSync(path, 'utf8')) : undefined;
  if (!ResultFile.Check(result)) throw new AppError('internal', `The result file ${path} cannot be read.`);
  if (result.success) return SENT;
  const reason = result.errorDetails?.slice(0, REPORTED_CHARACTERS_MAX) || 'The access point gave up.';
  return { state: 'failed', reason, responseCode: null };
}
