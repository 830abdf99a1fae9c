import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { addressFault, isLoopback } from '../lib/address.ts';
import { isSealSecret, SEAL_SECRET_WORDS } from '../lib/seal.ts';
import { isTimeZone } from '../lib/time-zone.ts';
import { tokenAlgorithms } from '../sign-in/principal.ts';
import { limitSettings, monitoringSettings, replicaSettings, servingSettings, workspaceSettings } from './serving.ts';
import { address, count, type Declaration, flag, list, type Setting, typedKeys, withVariables, words } from './setting.ts';

/** Who may call the served server, and with which credential the platform is called for each; not used over stdio. */
const signInSettings = {
  issuer: {
    title: 'Issuer',
    words: 'Authorization server (OAuth 2.1) whose access tokens let callers of HTTP serving in',
    schema: address('https://login.example.com'),
    otherwise: 'no sign-in',
  },
  audience: {
    title: 'Audience',
    words: 'Address of this server as its callers know it; access tokens must be made for it',
    schema: address('https://mcp.example.com/mcp'),
  },
  jwksUrl: {
    title: 'JWKS address',
    words: "Where the issuer's public keys are",
    schema: words.refine(
      (text) => addressFault(text.replace(/\?.*$/, '')) === undefined,
      'expected an https address (http only on loopback), such as https://login.example.com/keys',
    ),
    otherwise: "what the issuer's metadata say",
  },
  tokenAlgorithms: {
    title: 'Token algorithms',
    words: 'Comma-separated list of accepted signature algorithms of access tokens',
    schema: list.pipe(z.array(z.enum(tokenAlgorithms, `expected some of ${tokenAlgorithms.join(', ')}`))),
    otherwise: 'every one with a public key',
  },
  clockSkewSeconds: {
    title: 'Clock skew',
    words: "Seconds that the issuer's clock may differ from this one",
    schema: count(0, 300, 'seconds'),
    default: '30',
  },
  tokensFile: {
    title: 'Tokens file',
    words: 'File of static tokens that let callers of HTTP serving in, in place of an issuer; see `token`',
    schema: words,
    otherwise: 'no sign-in',
  },
  credentialsFile: {
    title: 'Credentials file',
    words: 'Encrypted file with a platform credential for each caller of HTTP serving; see `credentials`',
    schema: words,
    otherwise: 'one credential for all callers',
  },
  credentialsKey: {
    title: 'Credentials key',
    words: 'Key of that file, 32 random bytes in base64; or `WEB_ANALYTICS_CREDENTIALS_KEY_FILE`',
    schema: words.refine(isSealSecret, SEAL_SECRET_WORDS),
    secret: true,
  },
} satisfies Record<string, Declaration>;

const NAMED = /^(?<from>\d{4}-\d{2}-\d{2})(?:\s*\.\.\s*(?<to>\d{4}-\d{2}-\d{2}))?\s+(?<name>\S.*)$/;

const isDay = (text: string) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().slice(0, 10) === text;

/** First and last day, and what a person calls them. */
function daysOf(text: string) {
  const { from = '', to = from, name = '' } = NAMED.exec(text)?.groups ?? {};
  return name !== '' && isDay(from) && isDay(to) && from <= to ? { from, to, name } : undefined;
}

/** Days with their names, separated by commas: `2026-09-15 Anniversary, 2026-10-05..2026-10-11 Autumn sale`. */
const namedDays = list
  .refine(
    (items) => items.every((item) => daysOf(item) !== undefined),
    'expected days with names, separated by commas, such as 2026-09-15 Anniversary, 2026-10-05..2026-10-11 Autumn sale',
  )
  .transform((items) => items.flatMap((item) => daysOf(item) ?? []));

/** Where the platform is, as whom it is asked, and what is offered of it. */
const platformSettings = {
  demo: {
    title: 'Demo',
    words: 'Runs against the embedded emulator instead of a platform; needs no credential',
    schema: flag,
    default: 'false',
    form: 'boolean',
  },
  authUrl: {
    title: 'Authentication server',
    words: 'Address of the authentication server; https, or http on loopback',
    schema: address('https://auth.example.com'),
    form: 'string',
  },
  clientId: {
    title: 'Client ID',
    words: 'Client ID of the credential from the administration console',
    schema: words,
    secret: true,
    form: 'string',
  },
  clientSecret: {
    title: 'Client secret',
    words: 'Client secret of the credential; or `WEB_ANALYTICS_CLIENT_SECRET_FILE`, a file that holds it',
    schema: words,
    secret: true,
    form: 'string',
  },
  enrichmentClientId: {
    title: 'Enrichment client ID',
    words: 'Client ID of the integration, where enrichment has a credential of its own',
    schema: words,
    otherwise: 'the main credential',
    secret: true,
    form: 'string',
  },
  enrichmentClientSecret: {
    title: 'Enrichment client secret',
    words: 'Client secret of the integration; or `WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET_FILE`',
    schema: words,
    secret: true,
    form: 'string',
  },
  projectId: {
    title: 'Project',
    words: 'Default project of an account-level credential',
    schema: count(1, Number.MAX_SAFE_INTEGER, 'project id'),
    form: 'number',
  },
  timeZone: {
    title: 'Time zone',
    words: 'IANA time zone for dates given without one',
    schema: words.refine(isTimeZone, 'expected an IANA time zone, such as Europe/Paris'),
    default: 'UTC',
    form: 'string',
  },
  country: {
    title: 'Country',
    words: 'Country of the visitors, or its region, whose public holidays verdicts know: `FR`, `DE-BY`',
    schema: words.transform((text) => text.toUpperCase()).refine(isCountry, 'expected a country as FR, or a region of it as DE-BY'),
    otherwise: 'that of the time zone; none for UTC',
    form: 'string',
  },
  specialDays: {
    title: 'Special days',
    words: 'Your own unusual days, such as sales, separated by commas: `2026-09-15 Anniversary, 2026-10-05..2026-10-11 Autumn sale`',
    schema: namedDays,
    otherwise: 'Black Friday week, Christmas to New Year and public holidays alone',
    form: 'string',
  },
  toolsets: {
    title: 'Toolsets',
    words: 'Comma-separated list of toolsets; `core` is a short choice from all of them',
    schema: list,
    otherwise: 'all',
    form: 'string',
  },
  readOnly: {
    title: 'Read only',
    words: 'Leaves out every tool that changes the platform or deletes; downloads to this disk stay',
    schema: flag,
    default: 'false',
    form: 'boolean',
  },
  ownDomains: {
    title: 'Own domains',
    words: 'Comma-separated list of domains to treat as first-party in HAR files, such as that of a CDN',
    schema: list.refine(
      (domains) => domains.every(isDomain),
      'expected domains such as cdn.example.net, without scheme or path, separated by commas',
    ),
    otherwise: "the page's own, and those that carry its name",
    form: 'string',
  },
  rawHar: {
    title: 'Raw HAR files',
    words: 'The HAR resource delivers files unsanitised, cookies and tokens included',
    schema: flag,
    default: 'false',
    form: 'boolean',
  },
} satisfies Record<string, Declaration>;

/** A domain as in an address, without scheme, port, path or wildcard. */
function isDomain(text: string): boolean {
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(text);
}

/** A country by its two letters (ISO 3166), perhaps with a region of it behind a hyphen. */
function isCountry(text: string): boolean {
  const [, country = ''] = /^([A-Z]{2})(?:-[A-Z0-9]{1,3})?$/.exec(text) ?? [];
  if (country === '') return false;
  const name = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }).of(country);
  return name !== undefined && name !== 'Unknown Region';
}

const NAME = /^[a-z_][a-z0-9_]*$/i;

/** Why ClickHouse cannot be reached at an address, or must not be; undefined where it may. */
function faultOf(text: string): string | undefined {
  if (!URL.canParse(text)) return 'expected an address such as https://loader@clickhouse.example.com:8443/analytics';
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) return 'expected https, or http on this machine';
  if (password !== '') return 'a password stands in WEB_ANALYTICS_WAREHOUSE_PASSWORD, not in the address';
  if (username === '') return 'expected the user who loads: https://loader@…';
  if (!NAME.test(pathname.slice(1))) return 'expected the database as the path, letters, digits and _: https://loader@…:8443/analytics';
  return search || hash ? 'expected no query and no fragment' : undefined;
}

const warehouse = z.string().transform((text, context) => {
  const message = faultOf(text);
  if (message === undefined) {
    const { origin, username, pathname } = new URL(text);
    return { address: origin, user: decodeURIComponent(username), database: pathname.slice(1) };
  }
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** ClickHouse as the warehouse that keeps the exports of a team and answers SQL. */
const warehouseSettings = {
  warehouseUrl: {
    title: 'Warehouse',
    words: 'ClickHouse that holds the exports of a team and answers SQL: `https://loader@host:8443/database`',
    schema: warehouse,
    otherwise: 'the embedded engine on disk',
  },
  warehousePassword: {
    title: 'Warehouse password',
    words: 'Password of the user in that address; or `WEB_ANALYTICS_WAREHOUSE_PASSWORD_FILE`',
    schema: words,
    otherwise: 'none',
    secret: true,
  },
  warehouseReader: {
    title: 'Warehouse reader',
    words: 'Second, read-only user of ClickHouse as whom statements run',
    schema: words,
  },
  warehouseReaderPassword: {
    title: 'Warehouse reader password',
    words: 'Password of that user; or `WEB_ANALYTICS_WAREHOUSE_READER_PASSWORD_FILE`',
    schema: words,
    otherwise: 'none',
    secret: true,
  },
  warehouseEngine: {
    title: 'Warehouse engine',
    words: 'Engine of its tables: ReplacingMergeTree, or ReplicatedReplacingMergeTree in a database of the engine Replicated',
    schema: z.enum(['ReplacingMergeTree', 'ReplicatedReplacingMergeTree'], 'expected ReplacingMergeTree or ReplicatedReplacingMergeTree'),
    default: 'ReplacingMergeTree',
  },
} satisfies Record<string, Declaration>;

/** Every setting, in the order of the documents. */
export const settingDeclarations = withVariables({
  ...platformSettings,
  ...workspaceSettings,
  ...warehouseSettings,
  ...limitSettings,
  ...servingSettings,
  ...signInSettings,
  ...replicaSettings,
  ...monitoringSettings,
});

/** Name of a setting in the code. */
export type SettingName = keyof typeof settingDeclarations;
type Values = { [K in SettingName]: z.output<(typeof settingDeclarations)[K]['schema']> };
type Defaulted = {
  [K in SettingName]: (typeof settingDeclarations)[K] extends { readonly default: string } ? K : never;
}[SettingName];

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
  return setting.schema === flag;
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
  if (missing.length === 1) throw new SettingsError(`${missing[0]}: is missing; set both halves or neither`);
}

/** Whether a text is an address with a password, which no message repeats. */
function holdsPassword(text: string): boolean {
  return URL.canParse(text) && new URL(text).password !== '';
}

/** Those of which one makes no sense without the other. */
const PAIRS: readonly (readonly [SettingName, SettingName])[] = [
  ['enrichmentClientId', 'enrichmentClientSecret'],
  ['tlsCertFile', 'tlsKeyFile'],
  ['cacheUrl', 'cacheKey'],
  ['issuer', 'audience'],
  ['credentialsFile', 'credentialsKey'],
  ['warehouseUrl', 'warehouseReader'],
];

/** The value of one setting, undefined where it is not given; throws where it is wrong. */
function valueOf(setting: Setting, environment: Record<string, string | undefined>, flags: Record<string, string | undefined>): unknown {
  const flagName = flagOf(setting);
  const fromFlag = flagName === undefined ? undefined : given(flags[flagName]);
  const fromVariable = given(environment[setting.variable]) ?? (setting.secret && fromFile(setting.variable, environment));
  const text = fromFlag ?? fromVariable ?? setting.default;
  if (!text) return undefined;
  const checked = setting.schema.safeParse(text);
  if (checked.success) return checked.data;
  const source = fromFlag === undefined ? setting.variable : `--${flagName}`;
  const shown = setting.secret || holdsPassword(text) ? '' : ` "${text}" is wrong:`;
  throw new SettingsError(`${source}:${shown} ${checked.error.issues[0]?.message ?? 'not valid'}`);
}

/** Reads all settings from flags (first) and environment; throws a `SettingsError` for the first that is wrong. */
export function readSettings(environment: Record<string, string | undefined>, flags: Record<string, string | undefined> = {}): Settings {
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of typedKeys(settingDeclarations)) {
    const value = valueOf(settingDeclarations[name], environment, flags);
    if (value !== undefined) values[name] = value;
  }
  for (const pair of PAIRS) requireBoth(values, ...pair);
  if (values.warehouseUrl === undefined && (values.warehousePassword ?? values.warehouseReaderPassword) !== undefined)
    throw new SettingsError('WEB_ANALYTICS_WAREHOUSE_URL: is missing; a password of the warehouse is set without its address');
  return values as Settings; // each value has passed the schema of its declaration
}
