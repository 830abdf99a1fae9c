import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { retryAfterMs } from '../../api/deadline.ts';
import { ApiError } from '../../api/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { hint } from '../../lib/hint.ts';
import { formatBytes } from '../../lib/number-text.ts';
import { diskFailure, readJson, statOf, WorkspaceError, writeDurably } from '../store/disk.ts';
import type { Quota } from '../store/quota.ts';
import type { FileAnswer, FileStore } from './file-store.ts';
import { type ArrivedFile, type Inspected, openPartFile, type PartFile, type PartRecord, partRecord } from './part-file.ts';

/** A part that is wanted. */
export interface WantedPart {
  /** Names its files, `part-00001` for 1. */
  readonly number: number;
  readonly url: string;
  /** The size that the run announced: compressed or plain. */
  readonly fileSize: number | undefined;
  /** When the platform removes it, ms since 1970; NaN where it does not say. */
  readonly expiresAtMs: number;
}

/** Parts that all parts of a run share. */
export interface PartContext {
  /** Of the run, locked for this process. */
  readonly directory: string;
  readonly format: string;
  readonly store: FileStore;
  readonly quota: Quota;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** A new address of a part, for one that the store refuses; undefined where the run has none. */
  readonly refresh: (number: number) => Promise<string | undefined>;
  /** Hears how many bytes of the part are there. */
  readonly onBytes: (number: number, bytes: number, totalBytes: number | undefined) => void;
}

/** Tries that bring no byte, one after the other. */
const MAX_FRUITLESS = 5;
const MAX_REFRESHES = 2;
const MAX_CHANGES = 2;
/** A file that arrives damaged is fetched so often. */
const MAX_ARRIVALS = 2;
const FIRST_BACKOFF_MS = 400;
const LONGEST_BACKOFF_MS = 10_000;

function pathsOf(directory: string, number: number) {
  const stem = `part-${String(number).padStart(5, '0')}`;
  return { stem, record: join(directory, `${stem}.json`), arriving: join(directory, `${stem}.part`) };
}

/** Name of a complete part, by its content and not by its original name. */
function nameOf(stem: string, format: string, gzip: boolean): string {
  const ending = /^[a-z0-9]{1,10}$/i.test(format) ? `.${format.toLowerCase()}` : '';
  return `${stem}${ending}${gzip ? '.gz' : ''}`;
}

const sizeOf = async (path: string) => (await statOf(path))?.size;

/** The part of a `done` record, in its place; undefined where it is not there as recorded. */
async function finished(directory: string, arriving: string, { done }: PartRecord): Promise<ArrivedFile | undefined> {
  if (!done) return undefined;
  const path = join(directory, done.name);
  if ((await sizeOf(path)) === done.bytes) return done;
  if ((await sizeOf(arriving)) !== done.bytes) return undefined;
  // The process ended between the record and the renaming.
  await rename(arriving, path);
  return done;
}

/** Why the bytes are not the announced file; undefined where they are. */
function faultOf({ fault, gzip, plainBytes }: Inspected, bytes: number, fileSize: number | undefined): string | undefined {
  if (fault !== undefined) return fault;
  if (fileSize === undefined || fileSize === bytes || fileSize === plainBytes) return undefined;
  const decompressed = gzip ? `, ${formatBytes(plainBytes)} decompressed` : '';
  return `has ${bytes} bytes${decompressed}, but the run announced ${fileSize}`;
}

/** A part during its download. */
interface Arrival {
  readonly number: number;
  url: string;
  readonly file: PartFile;
  record: PartRecord;
  refreshes: number;
  changes: number;
}

/** Downloads one part, or the rest of it, until its file is complete, checked and in place; throws where that is not possible. */
export async function downloadPart({ number, url, fileSize }: WantedPart, context: PartContext): Promise<ArrivedFile> {
  const { directory, format, quota, signal } = context;
  const { stem, record: recordPath, arriving } = pathsOf(directory, number);
  const record = (await readJson(recordPath, partRecord)) ?? {};
  const there = await finished(directory, arriving, record);
  if (there) {
    context.onBytes(number, there.bytes, there.bytes);
    return there;
  }
  // Without a strong tag it is unknown whether the rest would be of the same file.
  const keep = record.etag !== undefined && record.done === undefined && (await sizeOf(arriving)) !== undefined;
  let file: PartFile | undefined;
  try {
    file = await openPartFile(arriving, { format, quota, keep, signal });
    const arrival: Arrival = { number, url, file, record: keep ? record : {}, refreshes: 0, changes: 0 };
    for (let arrivals = 1; ; arrivals += 1) {
      await fetchAll(arrival, context);
      const inspected = await file.finish();
      const fault = faultOf(inspected, file.offset, fileSize);
      if (fault === undefined) {
        const { sha256, gzip, rows, firstLine } = inspected;
        const done = { name: nameOf(stem, format, gzip), bytes: file.offset, sha256, gzip, rows, firstLine };
        await writeDurably(recordPath, JSON.stringify({ ...arrival.record, done }));
        await rename(arriving, join(directory, done.name));
        return done;
      }
      await file.restart();
      await rm(recordPath, { force: true });
      Object.assign(arrival, { record: {}, refreshes: 0, changes: 0 });
      const words = `File ${number} ${fault}. Nothing of it was kept; call again, and if it stays so, report it.`;
      if (arrivals >= MAX_ARRIVALS) throw new WorkspaceError('damaged', words);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : diskFailure(error, arriving);
  } finally {
    await file?.close();
  }
}

/** Takes bytes until the store has no more; over cuts, refusals and changes of the file. */
async function fetchAll(arrival: Arrival, context: PartContext): Promise<void> {
  const { clock, random, signal } = context;
  const { file } = arrival;
  let isWhole = file.offset === arrival.record.totalBytes;
  for (let fruitless = 0; !isWhole; ) {
    const before = file.offset;
    try {
      isWhole = await fetchMore(arrival, context);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError) || !error.transient) throw error;
      fruitless = file.offset > before ? 1 : fruitless + 1;
      if (fruitless > MAX_FRUITLESS) {
        const next = `Given up after ${MAX_FRUITLESS + 1} tries; what has arrived is kept: call again to go on.`;
        throw new WorkspaceError('store', `${error.message} ${next}`, { cause: error });
      }
      const backoffMs = random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (fruitless - 1));
      await clock.sleep(Math.max(error.retryAfterMs ?? 0, backoffMs), signal);
    }
  }
}

/** One request for what is missing: whether the store has no more of it; throws a transient ApiError where it may be repeated. */
async function fetchMore(arrival: Arrival, context: PartContext): Promise<boolean> {
  const { number, file } = arrival;
  const { store, signal, onBytes, directory } = context;
  if (file.offset > 0 && arrival.record.etag === undefined) await file.restart();
  onBytes(number, file.offset, arrival.record.totalBytes);
  const answer = await store.open({ url: arrival.url, offset: file.offset, etag: arrival.record.etag, signal });
  try {
    const { status, totalBytes } = answer;
    if (status !== 200 && status !== 206) return await afterRefusal(answer, arrival, context);
    if (!(await fitsOn(answer, arrival, directory))) return false;
    await file.announce((totalBytes ?? file.offset) - file.offset);
    for await (const chunks of answer.body) {
      await file.take(chunks);
      onBytes(number, file.offset, totalBytes);
    }
    // Without a length the end of the answer is the end of the file.
    if (totalBytes === undefined || file.offset === totalBytes) return true;
    const broken = `The file store broke off after ${formatBytes(file.offset)} of ${formatBytes(totalBytes)}.`;
    throw new ApiError('down', broken, { transient: true });
  } finally {
    answer.close();
  }
}

/** Goes on after an answer without bytes: from a new address, or anew where the file is another one; throws where nothing helps. */
async function afterRefusal({ status, totalBytes, retryAfter }: FileAnswer, arrival: Arrival, { clock, refresh }: PartContext) {
  const { number, file } = arrival;
  if (status === 416) {
    if (totalBytes === file.offset) return true;
    // The local part is longer than the file: it is from another file.
    await restart(arrival);
    return false;
  }
  if (![400, 401, 403, 404, 410].includes(status)) {
    const transient = status === 408 || status === 429 || status >= 500;
    const waitMs = retryAfterMs(retryAfter, clock.now());
    const message = `The file store answered ${status}.`;
    throw new ApiError('down', message, { status, transient, retryAfterMs: waitMs });
  }
  if (arrival.refreshes >= MAX_REFRESHES)
    throw new WorkspaceError(
      'store',
      `The file store refuses file ${number} (${status}) at a fresh address too. ` +
        'Call again later; files are kept until their expirationDate.',
    );
  arrival.refreshes += 1;
  arrival.url = (await refresh(number)) ?? gone(number);
  return false;
}

/** Keeps tag and size of the file with its beginning; false where the answer is the rest of a file whose beginning is not here. */
async function fitsOn({ etag, totalBytes, offset }: FileAnswer, arrival: Arrival, directory: string): Promise<boolean> {
  const { number, file, record } = arrival;
  if (file.offset > 0 && etag !== record.etag) await restart(arrival);
  else if (offset !== file.offset) await file.restart();
  // The rest of a file is worth nothing without its beginning.
  if (offset !== file.offset) return false;
  if (etag !== arrival.record.etag || totalBytes !== arrival.record.totalBytes) {
    arrival.record = { etag, totalBytes };
    await writeDurably(pathsOf(directory, number).record, JSON.stringify(arrival.record));
  }
  return true;
}

/** Drops the bytes of a file that has changed; gives up where it changes repeatedly. */
async function restart(arrival: Arrival): Promise<void> {
  arrival.changes += 1;
  if (arrival.changes > MAX_CHANGES)
    throw new WorkspaceError('store', `File ${arrival.number} changes again and again while it is fetched. Call again later.`);
  arrival.record = {};
  await arrival.file.restart();
}

function gone(number: number): never {
  throw new WorkspaceError(
    'gone',
    `The run has no file ${number} any more: its expirationDate has passed.` +
      hint('find_export_gaps', ' find_export_gaps plans an export of the same range.'),
  );
}
