import * as z from 'zod';
import { logFormats, logLevels } from '../lib/log.ts';
import { count, flag, list, type Setting, words } from './setting.ts';

/** How far calls may reach, how long they may take, how large answers may be. */
export const limitSettings = {
  endpointDomains: {
    variable: 'WEB_ANALYTICS_ENDPOINT_DOMAINS',
    title: 'Endpoint domains',
    words: "Comma list of domains that a token's `endpoint` may lie in",
    schema: list,
    otherwise: 'any https address; none in an own network unless the authentication server is there',
  },
  speedConcurrency: {
    variable: 'WEB_ANALYTICS_SPEED_CONCURRENCY',
    title: 'Speed concurrency',
    words: 'Calls in flight to speed analysis, per project',
    schema: count(1, 10, 'calls'),
    default: '1',
  },
  concurrency: {
    variable: 'WEB_ANALYTICS_CONCURRENCY',
    title: 'Concurrency',
    words: 'Calls in flight to the platform, per project',
    schema: count(1, 10, 'calls'),
    default: '8',
  },
  timeoutMs: {
    variable: 'WEB_ANALYTICS_TIMEOUT_MS',
    title: 'Timeout',
    words: 'Longest time of one operation in ms, including retries and time in the queue',
    schema: count(100, 40_000, 'milliseconds'),
    default: '30000',
  },
  reportCacheMb: {
    variable: 'WEB_ANALYTICS_REPORT_CACHE_MB',
    title: 'Report cache',
    words: 'Memory for speed reports, HAR files, recent lists and metrics and what was computed from them, in MB; 0 keeps none',
    schema: count(0, 4_096, 'megabytes'),
    default: '64',
  },
  maxResultTokens: {
    variable: 'WEB_ANALYTICS_MAX_RESULT_TOKENS',
    title: 'Result tokens',
    words: 'Largest answer in tokens (characters / 4)',
    schema: count(500, 200_000, 'tokens'),
    default: '20000',
  },
  logLevel: {
    variable: 'WEB_ANALYTICS_LOG_LEVEL',
    title: 'Log level',
    words: `How much goes to stderr: ${logLevels.join(', ')}`,
    schema: z.enum(logLevels, `expected one of ${logLevels.join(', ')}`),
    otherwise: 'warn; over HTTP info',
  },
} satisfies Record<string, Setting>;

/** Where downloaded exports lie, and how much room they may take. */
export const workspaceSettings = {
  dataDir: {
    variable: 'WEB_ANALYTICS_DATA_DIR',
    title: 'Data directory',
    words: 'Directory of downloaded exports; the demo uses a temporary one',
    schema: words,
    otherwise: "the user's data directory",
    form: 'directory',
  },
  dataQuotaMb: {
    variable: 'WEB_ANALYTICS_DATA_QUOTA_MB',
    title: 'Data quota',
    words: 'Room that downloaded exports of one caller may take, in MB',
    schema: count(1, 100_000_000, 'megabytes'),
    default: '5000',
  },
  keepSource: {
    variable: 'WEB_ANALYTICS_KEEP_SOURCE',
    title: 'Keep source files',
    words: 'Keep the downloaded files of a run after it was converted to Parquet and checked',
    schema: flag,
    default: 'false',
  },
} satisfies Record<string, Setting>;

/** Monitoring and rate limit of HTTP serving. */
export const monitoringSettings = {
  rateLimit: {
    variable: 'WEB_ANALYTICS_RATE_LIMIT',
    title: 'Rate limit',
    words: 'Calls a minute that HTTP serving accepts from each principal; the same number may come at once',
    schema: count(1, 100_000, 'calls'),
    otherwise: 'no limit; calls wait in fair turns',
  },
  metricsToken: {
    variable: 'WEB_ANALYTICS_METRICS_TOKEN',
    title: 'Metrics token',
    words: 'Bearer token that opens `/metrics` to Prometheus; or `WEB_ANALYTICS_METRICS_TOKEN_FILE`',
    schema: words.refine((text) => text.length >= 16, 'expected at least 16 characters'),
    otherwise: 'there is no `/metrics`',
    secret: true,
  },
  logFormat: {
    variable: 'WEB_ANALYTICS_LOG_FORMAT',
    title: 'Log format',
    words: `How lines on stderr are written: ${logFormats.join(', ')}`,
    schema: z.enum(logFormats, `expected one of ${logFormats.join(', ')}`),
    otherwise: 'words; over HTTP json',
  },
} satisfies Record<string, Setting>;
