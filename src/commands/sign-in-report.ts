import { type Clock, systemClock } from '../lib/clock.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';
import { openCredentials, openSignIn } from './sign-in.ts';
import { logOf } from './start-command.ts';

/** One check; `fault` says what to repair. */
export interface Finding {
  readonly name: string;
  readonly words: string;
  readonly isFault: boolean;
}

/** Words of an opening that the settings do not allow. */
async function faultOf(name: string, look: () => Promise<string | undefined>): Promise<Finding | undefined> {
  try {
    const words = await look();
    return words === undefined ? undefined : { name, words, isFault: true };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { name, words: error.message, isFault: true };
  }
}

/** Whether callers of HTTP serving could sign in, and whether their platform credentials open; empty where neither is set. */
export async function signInReport(settings: Settings, clock: Clock = systemClock): Promise<Finding[]> {
  const { issuer, audience, tokensFile, credentialsFile } = settings;
  const log = logOf(settings);
  const findings: Finding[] = [];
  if (issuer || tokensFile) {
    const words = issuer ? `access tokens of ${issuer} for ${audience} can be checked` : `static tokens of ${tokensFile} can be checked`;
    const fault = await faultOf('sign-in', async () => (await openSignIn(settings, { clock, log }))?.fault());
    findings.push(fault ?? { name: 'sign-in', words, isFault: false });
  }
  if (credentialsFile) {
    const words = `each caller has a platform credential of its own; ${credentialsFile} opens with the key`;
    const fault = await faultOf('credentials', async () => void (await openCredentials(settings, log)));
    findings.push(fault ?? { name: 'credentials', words, isFault: false });
  }
  return findings;
}
