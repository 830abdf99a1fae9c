import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { addressFault } from './lib/address.ts';
import { logLevels } from './lib/log.ts';
import { isTimeZone } from './lib/time-zone.ts';

/** How one setting is given, checked and described; README, manifest, flags and `doctor` are made from it. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  /** Environment variable; the flag has the same words (`--time-zone`) unless the setting is secret. */
  readonly variable: `WEB_ANALYTICS_${string}`;
  readonly title: string;
  readonly words: string;
  /** Checks the text of a flag or variable and gives the value. */
  readonly schema: Schema;
  /** The text that holds when nothing is given. */
  readonly default?: string;
  /** What happens when nothing is given, for the documents, where there is no default text. */
  readonly otherwise?: string;
  /** Never on the command line, never printed. */
  readonly secret?: true;
  /** How a host's form asks for it; left out: not asked for there. */
  readonly form?: 'string' | 'number' | 'boolean' | 'directory';
}

const words = z.string().trim().min(1);
const flag = z.stringbool({ truthy: ['true', '1', 'yes', 'on'], falsy: ['false', '0', 'no', 'off'], error: 'expected true or false' });
const list = z
  .string()
  .transform((text) => text.split(',').map((item) => item.trim()).filter((item) => item !== '')) // biome-ignore format: one thought
  .refine((items) => items.length > 0, 'expected names separated by commas');

function count(min: number, max: number, unit: string) {
  const expected = `expected a whole number of ${unit} from ${min} to ${max}`;
  return z.string().regex(/^\d+$/, expected).transform(Number).pipe(z.number().min(min, expected).max(max, expected));
}

/** Every setting, in the order of the documents. */
export const settingDeclarations = {
  authUrl: {
    variable: 'WEB_ANALYTICS_AUTH_URL',
    title: 'Authentication server',
    words: 'Address of the authentication server; https, or http on loopback',
    schema: words.refine(
      (text) => addressFault(text) === undefined,
      'expected an https address (http only on loopback) without user, query or fragment, such as https://auth.example.com',
    ),
    form: 'string',
  },
  clientId: {
    variable: 'WEB_ANALYTICS_CLIENT_ID',
    title: 'Client ID',
    words: 'Client ID of the credential from the administration console',
    schema: words,
    secret: true,
    form: 'string',
  },
  clientSecret: {
    variable: 'WEB_ANALYTICS_CLIENT_SECRET',
    title: 'Client secret',
    words: 'Client secret of the credential; or `WEB_ANALYTICS_CLIENT_SECRET_FILE`, a file that holds it',
    schema: words,
    secret: true,
    form: 'string',
  },
  enrichmentClientId: {
    variable: 'WEB_ANALYTICS_ENRICHMENT_CLIENT_ID',
    title: 'Enrichment client ID',
    words: 'Client ID of the integration, where enrichment has a credential of its own',
    schema: words,
    otherwise: 'the main credential',
    secret: true,
    form: 'string',
  },
  enrichmentClientSecret: {
    variable: 'WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET',
    title: 'Enrichment client secret',
    words: 'Client secret of the integration; or `WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET_FILE`',
    schema: words,
    secret: true,
    form: 'string',
  },
  projectId: {
    variable: 'WEB_ANALYTICS_PROJECT_ID',
    title: 'Project',
    words: 'Default project of an account-level credential',
    schema: count(1, Number.MAX_SAFE_INTEGER, 'project id'),
    form: 'number',
  },
  timeZone: {
    variable: 'WEB_ANALYTICS_TIME_ZONE',
    title: 'Time zone',
    words: 'IANA time zone of dates without one',
    schema: words.refine(isTimeZone, 'expected an IANA time zone, such as Europe/Paris'),
    default: 'UTC',
    form: 'string',
  },
  toolsets: {
    variable: 'WEB_ANALYTICS_TOOLSETS',
    title: 'Toolsets',
    words: 'Comma list of toolsets',
    schema: list,
    otherwise: 'all',
    form: 'string',
  },
  readOnly: {
    variable: 'WEB_ANALYTICS_READ_ONLY',
    title: 'Read only',
    words: 'Leaves out every tool that writes',
    schema: flag,
    default: 'false',
    form: 'boolean',
  },
  rawHar: {
    variable: 'WEB_ANALYTICS_RAW_HAR',
    title: 'Raw HAR files',
    words: 'The HAR resource delivers files unsanitised, cookies and tokens included',
    schema: flag,
    default: 'false',
    form: 'boolean',
  },
  demo: {
    variable: 'WEB_ANALYTICS_DEMO',
    title: 'Demo',
    words: 'Runs against the embedded emulator instead of a platform; needs no credential',
    schema: flag,
    default: 'false',
    form: 'boolean',
  },
  endpointDomains: {
    variable: 'WEB_ANALYTICS_ENDPOINT_DOMAINS',
    title: 'Endpoint domains',
    words: "Comma list of domains that a token's `endpoint` may lie in",
    schema: list,
    otherwise: 'any https address',
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
    words: 'Longest time of one operation in ms, its retries and its time in the queue included',
    schema: count(100, 40_000, 'milliseconds'),
    default: '30000',
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
    default: 'warn',
  },
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settingDeclarations;
type Values = { [K in SettingName]: z.output<(typeof settingDeclarations)[K]['schema']> };
type Defaulted =
  | 'timeZone'
  | 'readOnly'
  | 'rawHar'
  | 'demo'
  | 'speedConcurrency'
  | 'concurrency'
  | 'timeoutMs'
  | 'maxResultTokens'
  | 'logLevel';

/** Checked settings; what has no default may be absent. */
export type Settings = Pick<Values, Defaulted> & { [K in Exclude<SettingName, Defaulted>]?: Values[K] };

/** A setting that cannot be used; the message names it and says what is expected. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** `--time-zone` for `WEB_ANALYTICS_TIME_ZONE`; undefined for a secret, which has no flag. */
export function flagOf(setting: Setting): string | undefined {
  if (setting.secret) return undefined;
  return setting.variable.replace('WEB_ANALYTICS_', '').toLowerCase().replaceAll('_', '-');
}

/** Whether a flag stands alone (`--demo`) instead of taking a value. */
export function isSwitch(setting: Setting): boolean {
  return setting.form === 'boolean';
}

/** An empty text and a form field that a host left unexpanded count as not given. */
function given(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' || /^\$\{user_config\.[^}]*\}$/.test(text.trim()) ? undefined : text;
}

function fromFile(variable: string, environment: Record<string, string | undefined>): string | undefined {
  const path = given(environment[`${variable}_FILE`]);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new SettingsError(`${variable}_FILE: cannot read "${path}"; expected a readable file that holds the secret`);
  }
}

/** Half of a credential would be dropped without a word, and the other credential used. */
function requireBoth(values: Partial<Record<SettingName, unknown>>, ...pair: readonly [SettingName, SettingName]): void {
  const missing = pair.filter((name) => values[name] === undefined).map((name) => settingDeclarations[name].variable);
  if (missing.length === 1) throw new SettingsError(`${missing[0]}: is missing; expected beside its other half, or neither`);
}

/** Reads all settings from flags (first) and environment; throws a `SettingsError` for the first that is wrong. */
export function readSettings(environment: Record<string, string | undefined>, flags: Record<string, string | undefined> = {}): Settings {
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const [name, setting] of Object.entries(settingDeclarations) as [SettingName, Setting][]) {
    const flagName = flagOf(setting);
    const fromFlag = flagName === undefined ? undefined : given(flags[flagName]);
    const text =
      fromFlag ?? given(environment[setting.variable]) ?? (setting.secret && fromFile(setting.variable, environment)) ?? setting.default;
    if (!text) continue;
    const checked = setting.schema.safeParse(text);
    if (!checked.success) {
      const source = fromFlag === undefined ? setting.variable : `--${flagName}`;
      const shown = setting.secret ? '' : ` "${text}" is wrong:`;
      throw new SettingsError(`${source}:${shown} ${checked.error.issues[0]?.message ?? 'not valid'}`);
    }
    values[name] = checked.data;
  }
  requireBoth(values, 'enrichmentClientId', 'enrichmentClientSecret');
  return values as Settings;
}
