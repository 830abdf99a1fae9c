import { nearest } from '../lib/nearest.ts';
import type { Setting } from './setting.ts';
import { type Settings, settingDeclarations } from './settings.ts';

const PREFIX = 'WEB_ANALYTICS_';

/** Every variable that is read: that of each setting, and that of the file of each secret. */
function readVariables(): string[] {
  const settings: readonly Setting[] = Object.values(settingDeclarations);
  return settings.flatMap(({ variable, secret }) => (secret ? [variable, `${variable}_FILE`] : [variable]));
}

/**
 * A sentence for each variable of the environment that has the prefix of the settings and belongs to none, with the one that was probably
 * meant. A misspelt `WEB_ANALYTICS_READONLY` would otherwise leave the tools that write switched on. Values are not repeated.
 */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = readVariables();
  const unknown = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !known.includes(name));
  return unknown.map((name) => {
    // Without the prefix, which makes all names alike.
    const meant = nearest(
      name.slice(PREFIX.length),
      known.map((each) => each.slice(PREFIX.length)),
    );
    const hint = meant === undefined ? '--help lists the settings' : `did you mean ${PREFIX}${meant}?`;
    return `${name} is no setting and has no effect; ${hint}`;
  });
}

/** The missing parts of a credential of the platform and how to set them, in sentences; undefined where nothing is missing. */
export function missingCredential(settings: Pick<Settings, 'authUrl' | 'clientId' | 'clientSecret'>): string | undefined {
  const missing = (['authUrl', 'clientId', 'clientSecret'] as const).filter((name) => settings[name] === undefined);
  if (missing.length === 0) return undefined;
  const lacksSecret = missing.includes('clientSecret');
  const names = missing.map((name) => settingDeclarations[name].variable);
  const list = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names.join('');
  const what = missing.length === 3 ? 'No credential is set.' : 'The credential is incomplete.';
  return `${what} Set ${list}${lacksSecret ? ' (or …_SECRET_FILE)' : ''}, or start with --demo to use the embedded emulator.`;
}
