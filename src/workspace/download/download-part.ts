import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../api/errors.ts';
import { retryAfterMs } from '../../api/retry.ts';
import type { Clock } from '../../lib/clock.ts';
import { hint } from '../../lib/hint.ts';
import { formatBytes } from '../../lib/number-text.ts';
import { diskFailure, readJson, WorkspaceError, writeDurably } from '../store/disk.ts';
import type { Quota } from '../store/quota.ts';
import type { FileAnswer, FileStore } from './file-store.ts';
import type { Inspected } from './inspection.ts';
import { type ArrivedFile, openPartFile, type PartFile, type PartRecord, partRecord } from './part-file.ts';

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

function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

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

/** Downloads one part, or the rest of it, until its file is complete, checked and in place; throws where that is not possible. */
export async function downloadPart(part: WantedPart, context: PartContext): Promise<ArrivedFile> {
  const { directory, format, signal } = context;
  const { stem, record: recordPath, arriving } = pathsOf(directory, part.number);
  let record = (await readJson(recordPath, partRecord)) ?? {};
  const there = await finished(directory, arriving, record);
  if (there) {
    context.onBytes(part.number, there.bytes, there.bytes);
    return there;
  }
  // Without a strong tag it is unknown whether the rest would be of the same file.
  const keep = record.etag !== undefined && record.done === undefined && (await sizeOf(arriving)) !== undefined;
  if (!keep) record = {};
  const file = await openPartFile(arriving, { format, quota: context.quota, keep, signal });
  try {
    for (let arrivals = 1; ; arrivals += 1) {
      record = await fetchAll(part, file, record, context);
      const inspected = await file.finish();
      const fault = faultOf(inspected, file.offset, part.fileSize);
      if (fault === undefined) {
        const { sha256, gzip, rows, firstLine } = inspected;
        const name = nameOf(stem, format, gzip);
        const done = {
          name,
          bytes: file.offset,
          sha256,
          gzip,
          ...(rows !== undefined && { rows }),
          ...(firstLine && { firstLine: [...firstLine] }),
        };
        await writeDurably(recordPath, JSON.stringify({ ...record, done }));
        await rename(arriving, join(directory, name));
        return done;
      }
      await file.restart();
      await rm(recordPath, { force: true });
      record = {};
      if (arrivals >= MAX_ARRIVALS)
        throw new WorkspaceError(
          'damaged',
          `File ${part.number} ${fault}. Nothing of it was kept; call again, and if it stays so, report it.`,
        );
    }
  } catch (error) {
    throw diskFailure(error, arriving);
  } finally {
    await file.close();
  }
}

/** A part during the download: its address, and what is known about the file. */
interface Arrival {
  url: string;
  record: PartRecord;
  /** Whether the store has no more of it. */
  isWhole: boolean;
  refreshes: number;
  changes: number;
}

/** A part and its file while answers arrive. */
interface Fetched {
  readonly number: number;
  readonly file: PartFile;
  readonly arrival: Arrival;
}

/** Takes bytes until the store has no more; over cuts, refusals and changes of the file. */
async function fetchAll(part: WantedPart, file: PartFile, record: PartRecord, context: PartContext): Promise<PartRecord> {
  const { clock, random, signal } = context;
  const arrival: Arrival = { url: part.url, record, isWhole: file.offset === record.totalBytes, refreshes: 0, changes: 0 };
  for (let fruitless = 0; !arrival.isWhole; ) {
    const before = file.offset;
    try {
      await fetchMore(part.number, file, arrival, context);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError) || !error.transient) throw error;
      await file.flush();
      fruitless = file.offset > before ? 1 : fruitless + 1;
      if (fruitless > MAX_FRUITLESS) throw givenUp(error);
      const backoffMs = random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (fruitless - 1));
      await clock.sleep(Math.max(error.retryAfterMs ?? 0, backoffMs), signal);
    }
  }
  return arrival.record;
}

/** Goes on after an answer without bytes: from a new address, or anew where the file is another one; throws where nothing helps. */
async function afterRefusal(
  refusal: NonNullable<ReturnType<typeof refusalOf>>,
  { status, totalBytes }: FileAnswer,
  { number, file, arrival, refresh }: Fetched & Pick<PartContext, 'refresh'>,
): Promise<void> {
  if (refusal === 'address') {
    if (arrival.refreshes >= MAX_REFRESHES) throw refused(number, status);
    arrival.refreshes += 1;
    arrival.url = (await refresh(number)) ?? gone(number);
    return;
  }
  if (refusal !== 'range') throw refusal;
  arrival.isWhole = totalBytes === file.offset;
  // Otherwise the local part is longer than the file: it is from another file.
  if (!arrival.isWhole) await restarted(number, file, arrival);
}

/** Keeps tag and size of the file with its beginning; false where the answer is the rest of a file whose beginning is not here. */
async function fitsOn({ etag, totalBytes, offset }: FileAnswer, { number, file, arrival }: Fetched, directory: string): Promise<boolean> {
  if (file.offset > 0 && etag !== arrival.record.etag) await restarted(number, file, arrival);
  else if (offset !== file.offset) await file.restart();
  // The rest of a file is worth nothing without its beginning.
  if (offset !== file.offset) return false;
  if (etag !== arrival.record.etag || totalBytes !== arrival.record.totalBytes) {
    arrival.record = { ...(etag !== undefined && { etag }), ...(totalBytes !== undefined && { totalBytes }) };
    await writeDurably(pathsOf(directory, number).record, JSON.stringify(arrival.record));
  }
  return true;
}

/** One request for what is missing; throws a transient ApiError where it may be repeated. */
async function fetchMore(number: number, file: PartFile, arrival: Arrival, context: PartContext): Promise<void> {
  const { store, clock, signal, refresh, onBytes, directory } = context;
  if (file.offset > 0 && arrival.record.etag === undefined) await file.restart();
  onBytes(number, file.offset, arrival.record.totalBytes);
  const answer = await store.open({ url: arrival.url, offset: file.offset, etag: arrival.record.etag, signal });
  try {
    const fetched = { number, file, arrival };
    const refusal = refusalOf(answer, clock.now());
    if (refusal) return await afterRefusal(refusal, answer, { ...fetched, refresh });
    if (!(await fitsOn(answer, fetched, directory))) return;
    const { totalBytes } = answer;
    await file.announce((totalBytes ?? file.offset) - file.offset);
    for await (const chunks of answer.body) {
      await file.take(chunks);
      onBytes(number, file.offset, totalBytes);
    }
    await file.flush();
    if (totalBytes !== undefined && file.offset !== totalBytes) throw cut(file.offset, totalBytes);
    // Without a length the end of the answer is the end of the file.
    arrival.isWhole = true;
  } finally {
    answer.close();
  }
}

/** Drops the bytes of a file that has changed; gives up where it changes repeatedly. */
async function restarted(number: number, file: PartFile, arrival: Arrival): Promise<void> {
  arrival.changes += 1;
  if (arrival.changes > MAX_CHANGES)
    throw new WorkspaceError('store', `File ${number} changes again and again while it is fetched. Call again later.`);
  arrival.record = {};
  await file.restart();
}

function cut(bytes: number, totalBytes: number): ApiError {
  return new ApiError('down', `The file store broke off after ${formatBytes(bytes)} of ${formatBytes(totalBytes)}.`, { transient: true });
}

function givenUp(error: ApiError): WorkspaceError {
  const next = `Given up after ${MAX_FRUITLESS + 1} tries; what has arrived is kept: call again to go on.`;
  return new WorkspaceError('store', `${error.message} ${next}`, { cause: error });
}

/** The remedy for an answer without the file: a new address, a short wait, or nothing helps. */
function refusalOf({ status, retryAfter }: FileAnswer, nowMs: number): 'address' | 'range' | ApiError | undefined {
  if (status === 200 || status === 206) return undefined;
  if (status === 416) return 'range';
  if ([400, 401, 403, 404, 410].includes(status)) return 'address';
  const transient = status === 408 || status === 429 || status >= 500;
  const waitMs = retryAfterMs(retryAfter, nowMs);
  const message = `The file store answered ${status}.`;
  return new ApiError('down', message, { status, transient, ...(waitMs !== undefined && { retryAfterMs: waitMs }) });
}

function refused(number: number, status: number): WorkspaceError {
  return new WorkspaceError(
    'store',
    `The file store refuses file ${number} (${status}) at a fresh address too. ` +
      'Call again later; files are kept until their expirationDate.',
  );
}

function gone(number: number): never {
  throw new WorkspaceError(
    'gone',
    `The run has no file ${number} any more: its expirationDate has passed.` +
      hint('find_export_gaps', ' find_export_gaps plans an export of the same range.'),
  );
}
