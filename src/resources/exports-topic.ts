import { hint } from '../lib/hint.ts';
import { markdownTable } from '../lib/text-table.ts';

const SETTINGS: readonly (readonly [name: string, words: string])[] = [
  ['WEB_ANALYTICS_DATA_DIR', 'folder of the workspace on the disk of this server'],
  ['WEB_ANALYTICS_DATA_QUOTA_MB', 'how much may lie there'],
  ['WEB_ANALYTICS_WAREHOUSE_URL', 'ClickHouse of a team; without it the embedded engine answers from the disk'],
  ['WEB_ANALYTICS_WAREHOUSE_PASSWORD (or …_PASSWORD_FILE)', 'of the user that loads'],
  ['WEB_ANALYTICS_WAREHOUSE_READER, …_READER_PASSWORD', 'the read-only user that statements run as'],
  ['WEB_ANALYTICS_WAREHOUSE_ENGINE', 'ReplacingMergeTree, or ReplicatedReplacingMergeTree in a cluster'],
];

const WORKSPACE =
  hint('sync_exports', 'sync_exports fetches every run that is not here yet. ') +
  hint('download_export_run', 'download_export_run fetches a single one. ') +
  'Runs are kept on the disk of the server, apart by caller, project, job and run, and become tables (Parquet). ' +
  hint('query_export', 'query_export answers SQL from there, the tools over visits too. ') +
  hint('list_workspace', 'list_workspace shows what is there. ') +
  hint('purge_workspace', 'purge_workspace makes room. ') +
  hint('find_export_gaps', 'find_export_gaps says which days are missing, and fills them. ') +
  'The folder of a run has a manifest.json beside its files: other programs may read both.';

const CLICKHOUSE =
  'With WEB_ANALYTICS_WAREHOUSE_URL set, runs are loaded there once they are fetched: tables export_sessions and export_views, each row ' +
  'once, as the last export has it. Statements are then in the dialect of ClickHouse. Replicas share one copy. docs/warehouse.md has ' +
  'users, grants and tables.';

const OTHERS =
  'From the files: JSONL (gzip, a row a line) or CSV (with a header) are read by BigQuery, Snowflake, Redshift, Databricks, DuckDB and ' +
  'Power BI alike. ' +
  hint('sync_exports', 'Run sync_exports daily, for instance by `web-analytics-mcp call sync_exports` in a build job, and load ') +
  'the new runs of the data folder. Rules for the load: user_id is a number above 2^53 and must stay text; amounts are cents; the key of ' +
  'a row is project_id, user_id, session_id (and view_number); the last export of a row wins, because app sessions may change for a ' +
  'week. ' +
  'Power BI: Get data, Folder, the folder of the job; or its ClickHouse connector on the tables above.';

/** The reference page about where exported data go: the platform's files, the workspace, a warehouse, other tools. */
export function writeWhereExportsGo(): string {
  return [
    'An export job makes **files** at the platform, one or several parts a run. They are deleted at their expirationDate, about a week ' +
      'after the run. The platform itself sends them nowhere: someone has to fetch them.',
    '## 1. Into the workspace of this server',
    WORKSPACE,
    '## 2. Into ClickHouse, by this server',
    CLICKHOUSE,
    '## 3. Into another warehouse, or Power BI',
    OTHERS,
    '## Settings',
    markdownTable(['setting', 'what it says'], SETTINGS),
  ].join('\n\n');
}
