import * as z from 'zod';
import { logFormats, logLevels } from '../lib/log.ts';
import { isSealSecret, SEAL_SECRET_WORDS } from '../lib/seal.ts';
import { count, type Declaration, flag, list, words } from './setting.ts';

/** How a team is served over Streamable HTTP; not used over stdio. */
export const servingSettings = {
  http: {
    title: 'HTTP',
    words: 'Serves Streamable HTTP at `/mcp` instead of stdio',
    schema: flag,
    default: 'false',
  },
  host: {
    title: 'Host',
    words: 'Address that HTTP serving listens on; beyond loopback it needs sign-in and allowed hosts',
    schema: words,
    default: '127.0.0.1',
  },
  port: {
    title: 'Port',
    words: 'Port of HTTP serving; 0 takes a free one and says which',
    schema: count(0, 65_535),
    default: '8000',
  },
  allowedHosts: {
    title: 'Allowed hosts',
    words: 'Comma-separated list of host names, without port, that clients reach HTTP serving by',
    schema: list.refine(
      (hosts) => hosts.every(isHostName),
      'expected host names such as mcp.example.com, without scheme, port or wildcard, separated by commas',
    ),
    otherwise: 'loopback names',
  },
  allowedOrigins: {
    title: 'Allowed origins',
    words: 'Comma-separated list of origins, such as `https://app.example.com`, whose pages may call HTTP serving',
    schema: list.refine((origins) => origins.every(isOrigin), 'expected origins such as https://app.example.com, separated by commas'),
    otherwise: 'none, on loopback its own pages',
  },
  tlsCertFile: {
    title: 'TLS certificate',
    words: 'File with the certificate chain of HTTP serving, PEM',
    schema: words,
    otherwise: 'plain HTTP',
  },
  tlsKeyFile: {
    title: 'TLS key',
    words: 'File with the private key of that certificate, PEM',
    schema: words,
  },
  maxSessions: {
    title: 'Sessions',
    words: 'Most sessions of HTTP serving at once; the longest idle one makes room',
    schema: count(1, 100_000, 'sessions'),
    default: '1000',
  },
  sessionIdleMinutes: {
    title: 'Session idle time',
    words: 'Minutes without a request or an open stream after which a session ends',
    schema: count(1, 10_080, 'minutes'),
    default: '30',
  },
  maxRequests: {
    title: 'Requests',
    words: 'Most requests that HTTP serving works on at once; further ones are refused with 503',
    schema: count(1, 10_000, 'requests'),
    default: '256',
  },
} satisfies Record<string, Declaration>;

/** A host name as in a Host header, without the port. */
function isHostName(text: string): boolean {
  return URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text.toLowerCase() && !text.includes('*');
}

/** An origin as browsers send it: scheme, host and port alone. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.toLowerCase();
}

/** Settings of the store that several replicas of HTTP serving share; without it each has its own in memory. */
export const replicaSettings = {
  cacheUrl: {
    title: 'Shared cache',
    words: 'Redis or Valkey, or a node of its cluster, that replicas of HTTP serving share: `redis://…` or `rediss://…`',
    schema: words.refine(
      isRedisUrl,
      'expected an address such as redis://cache.example.com:6379 or rediss://user:password@cache.example.com',
    ),
    otherwise: 'each process alone',
    // It may hold a password.
    secret: true,
  },
  cacheKey: {
    title: 'Shared cache key',
    words: 'Key that encrypts what is shared, 32 bytes in base64 or hex, the same on all; or `WEB_ANALYTICS_CACHE_KEY_FILE`',
    schema: words.refine(isSealSecret, SEAL_SECRET_WORDS),
    secret: true,
  },
} satisfies Record<string, Declaration>;

function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return /^rediss?:$/.test(protocol) && hostname !== '' && canDecode(username) && canDecode(password);
}

/** Whether what is written with percent signs is text. */
function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** How far calls may reach, how long they may take, how large answers may be. */
export const limitSettings = {
  endpointDomains: {
    title: 'Endpoint domains',
    words: "Comma-separated list of domains that a token's `endpoint` may lie in",
    schema: list,
    otherwise: 'any https address; none in an own network unless the authentication server is there',
  },
  speedConcurrency: {
    title: 'Speed concurrency',
    words: 'Calls in flight to speed analysis, per project',
    schema: count(1, 10, 'calls'),
    default: '1',
  },
  concurrency: {
    title: 'Concurrency',
    words: 'Calls in flight to the platform, per project',
    schema: count(1, 10, 'calls'),
    default: '8',
  },
  timeoutMs: {
    title: 'Timeout',
    words: 'Longest time of one operation in ms, including retries and time in the queue',
    schema: count(100, 40_000, 'milliseconds'),
    default: '30000',
  },
  reportCacheMb: {
    title: 'Report cache',
    words: 'Memory for speed reports, HAR files, recent lists and metrics and what was computed from them, in MB; 0 keeps none',
    schema: count(0, 4_096, 'megabytes'),
    default: '64',
  },
  maxResultTokens: {
    title: 'Result tokens',
    words: 'Largest answer in tokens (characters / 4)',
    schema: count(500, 200_000, 'tokens'),
    default: '20000',
  },
  logLevel: {
    title: 'Log level',
    words: `How much goes to stderr: ${logLevels.join(', ')}`,
    schema: z.enum(logLevels, `expected one of ${logLevels.join(', ')}`),
    otherwise: 'warn; over HTTP info',
  },
} satisfies Record<string, Declaration>;

/** Where downloaded exports lie, and how much room they may take. */
export const workspaceSettings = {
  dataDir: {
    title: 'Data directory',
    words: 'Directory of downloaded exports; the demo uses a temporary one',
    schema: words,
    otherwise: "the user's data directory",
    form: 'directory',
  },
  dataQuotaMb: {
    title: 'Data quota',
    words: 'Disk quota for the exports of one caller, in MB',
    schema: count(1, 100_000_000, 'megabytes'),
    default: '5000',
  },
  keepSource: {
    title: 'Keep source files',
    words: 'Keep the downloaded files of a run after it was converted to Parquet and checked',
    schema: flag,
    default: 'false',
  },
} satisfies Record<string, Declaration>;

/** Monitoring and rate limit of HTTP serving. */
export const monitoringSettings = {
  rateLimit: {
    title: 'Rate limit',
    words: 'Calls a minute that HTTP serving accepts from each caller; the same number may come at once',
    schema: count(1, 100_000, 'calls'),
    otherwise: 'no limit; calls wait in fair turns',
  },
  metricsToken: {
    title: 'Metrics token',
    words: 'Bearer token that opens `/metrics` to Prometheus; or `WEB_ANALYTICS_METRICS_TOKEN_FILE`',
    schema: words.refine((text) => text.length >= 16, 'expected at least 16 characters'),
    otherwise: 'there is no `/metrics`',
    secret: true,
  },
  logFormat: {
    title: 'Log format',
    words: `How lines on stderr are written: ${logFormats.join(', ')}`,
    schema: z.enum(logFormats, `expected one of ${logFormats.join(', ')}`),
    otherwise: 'words; over HTTP json',
  },
} satisfies Record<string, Declaration>;
