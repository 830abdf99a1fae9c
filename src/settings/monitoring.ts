import * as z from 'zod';
import { logFormats } from '../lib/log.ts';
import { count, type Setting, words } from './setting.ts';

/** How a served server is watched and held in bounds. */
export const operationsSettings = {
  rateLimit: {
    variable: 'WEB_ANALYTICS_RATE_LIMIT',
    title: 'Rate limit',
    words: 'Calls a minute that HTTP serving takes from each principal; so many may come at once',
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
