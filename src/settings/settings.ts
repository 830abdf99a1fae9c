import { readFileSync } from 'node:fs';
import type * as z from 'zod';
import { platformSettings } from './platform.ts';
import { limitSettings, monitoringSettings, replicaSettings, servingSettings, workspaceSettings } from './serving.ts';
import { flag, type Setting, typedKeys } from './setting.ts';
import { signInSettings } from './sign-in.ts';
import { warehouseSettings } from './warehouse.ts';

/** Every setting, in the order of the documents. */
export const settingDeclarations = {
  ...platformSettings,
  ...workspaceSettings,
  ...warehouseSettings,
  ...limitSettings,
  ...servingSettings,
  ...signInSettings,
  ...replicaSettings,
  ...monitoringSettings,
} satisfies Record<string, Setting>;

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
