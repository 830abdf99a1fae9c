import { nearest } from '../lib/nearest.ts';
import type { Setting } from './setting.ts';
import { settingDeclarations } from './settings.ts';

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
