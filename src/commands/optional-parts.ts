import { tmpdir } from 'node:os';
import { drawPng } from '../views/draw-png.ts';
import { runSql, SqlError } from '../workspace/query/sql-process.ts';
import { optionalDependencies } from './about.ts';

/** One thing that was looked at. `absent` is no fault: an optional part that is not there, or a family that is switched off. */
export interface Check {
  readonly name: string;
  readonly state: 'good' | 'fault' | 'absent';
  /** What was found, and where something is wrong how to mend it. */
  readonly words: string;
}

const { '@duckdb/node-api': duckdb, '@resvg/resvg-js': resvg } = optionalDependencies;
const PATIENCE_MS = 20_000;

/** Native parts come with the package; they are absent where npm was told to leave them out, or there is no build for the system. */
function absent(name: string, lost: string, installed: string): Check {
  const words = `${lost} The optional package is not installed: npm adds it unless --omit=optional is set (npm install ${installed}).`;
  return { name, state: 'absent', words };
}

async function trySqlEngine(): Promise<Check> {
  const name = 'sql-engine';
  const query = {
    views: ['data'],
    setup: ['CREATE VIEW data AS SELECT 42 AS answer'],
    files: [],
    sql: 'SELECT answer FROM data',
    maxRows: 1,
    maxChars: 100,
  };
  try {
    const { rows } = await runSql(query, { directory: tmpdir(), holder: 'doctor', timeoutMs: PATIENCE_MS });
    if (rows[0]?.[0] !== 42) return { name, state: 'fault', words: `DuckDB answers a trial query with ${JSON.stringify(rows)}, not 42.` };
    return { name, state: 'good', words: 'DuckDB answers a trial query, so query_export works' };
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    if (error.reason === 'missing package') return absent(name, 'query_export cannot answer.', `@duckdb/node-api@${duckdb}`);
    return { name, state: 'fault', words: `DuckDB does not answer a trial query (${error.reason}). ${error.message}`.trim() };
  }
}

async function tryPictures(): Promise<Check> {
  const name = 'pictures';
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20"><text x="2" y="15">Trial</text></svg>';
  const png = await drawPng({ svg, widthPx: 80, heightPx: 20 });
  if (!png) return absent(name, 'Charts come without an image.', `@resvg/resvg-js@${resvg}`);
  return { name, state: 'good', words: `a trial picture was drawn (${png.length} bytes), so charts come as images` };
}

/** Tries what rests on optional packages. */
export function tryOptionalParts(): Promise<Check[]> {
  return Promise.all([trySqlEngine(), tryPictures()]);
}
