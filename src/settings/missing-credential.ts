import { type Settings, settingDeclarations } from './settings.ts';

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
