import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import type { RunManifest } from '../../src/workspace/store/manifest.ts';

const PARTS = 8;
const ROWS_A_WRITE = 5_000;
const browsers = ['Chrome', 'Safari', 'Firefox', 'Edge', 'Samsung Internet', null];

/** Two of three sessions are a visitor's first here. */
const SESSIONS_A_VISITOR = 1.5;

/** The id of a visitor: a hash of 64 bits, as the platform has it (the finish of SplitMix64). */
function userId(visitor: number): bigint {
  let mixed = BigInt.asUintN(64, BigInt(visitor) * 0x9e3779b97f4a7c15n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return mixed ^ (mixed >> 31n);
}

/** One session as the platform writes it. */
function line(index: number): string {
  const draw = Math.imul(index, 2_654_435_761) >>> 0;
  const cents = draw % 17 === 0 ? draw % 20_000 : 0;
  const day = String(1 + (draw % 20)).padStart(2, '0');
  const members = [
    `"project_id":1201,"user_id":${userId(1 + Math.floor(index / SESSIONS_A_VISITOR))},"session_id":${20_776_000_000 + index}`,
    `"session_number":${1 + (draw % 9)},"session_time":"2026-11-${day}T08:14:03.000Z","session_number_of_views":${1 + (draw % 14)}`,
    `"session_duration_msec":${draw % 900_000},"session_number_of_transactions":${cents > 0 ? 1 : 0}`,
    `"session_transactions_revenue_cents":${cents},"device_id":${draw % 5},"country_code":"DE"`,
    `"browser_name":${JSON.stringify(browsers[draw % 6])},"custom_var_1":"plus"`,
  ];
  return `{${members.join(',')}}\n`;
}

/** Those that the platform names; a custom variable has a name of its own. */
const fields = Object.keys(JSON.parse(line(0)))
  .filter((name) => !name.startsWith('custom_var'))
  .map((fieldName) => ({ fieldName }));

/** A downloaded run of so many sessions as JSONL.gz in eight parts; written once, kept for the next time. */
export async function writeSessions(rows: number): Promise<{ directory: string; run: RunManifest }> {
  const directory = join(tmpdir(), `query-bench-hashed-${rows}`);
  const names = Array.from({ length: PARTS }, (_, part) => `part-${part}.jsonl.gz`);
  if (!existsSync(directory)) {
    const staged = `${directory}-${process.pid}`;
    mkdirSync(staged);
    try {
      for (const [part, name] of names.entries()) await writePart(join(staged, name), (rows * part) / PARTS, (rows * (part + 1)) / PARTS);
      renameSync(staged, directory);
    } finally {
      rmSync(staged, { recursive: true, force: true });
    }
  }
  const files = names.map((name) => ({ name, bytes: statSync(join(directory, name)).size, sha256: '', gzip: true }));
  const range = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z', exportedAt: '2026-11-21T02:00:00.000Z' };
  const about = { version: 1 as const, jobId: 1, jobName: 'Sessions', runId: 1, scope: 'sessions', format: 'JSONL' };
  return { directory, run: { ...about, ...range, downloadedAt: range.exportedAt, fields, files } };
}

async function writePart(path: string, from: number, to: number): Promise<void> {
  const gzip = createGzip({ level: 3 });
  const out = gzip.pipe(createWriteStream(path));
  for (let at = Math.floor(from); at < to; at += ROWS_A_WRITE) {
    const count = Math.min(ROWS_A_WRITE, Math.floor(to) - at);
    if (!gzip.write(Array.from({ length: count }, (_, index) => line(at + index)).join(''))) await once(gzip, 'drain');
  }
  gzip.end();
  await once(out, 'finish');
}
