import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { suggestion } from '../lib/nearest.ts';
import { present } from '../lib/sentences.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';
import { CredentialsError, type PlatformCredentials, type SignIn, tokenAlgorithms } from '../sign-in/principal.ts';
import { PrivateFileError } from '../sign-in/private-file.ts';
import { logOf, version } from './about.ts';
import { type Check, checksOf } from './check.ts';
import type { CommandName } from './command-line.ts';

const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 5_000;

/** Reads a small JSON document within seconds, without following redirects; rejects with a sentence that quotes nothing of it. */
export async function fetchJson(address: string): Promise<unknown> {
  const { createHttp } = await import('../api/http.ts');
  const http = createHttp();
  const { host } = new URL(address);
  try {
    const { status, pieces } = await http.send({
      method: 'GET',
      url: address,
      headers: { accept: 'application/json', 'user-agent': `web-analytics-mcp/${version}` },
      safe: true,
      maxBytes: MAX_BYTES,
      idleTimeoutMs: TIMEOUT_MS,
      signal: AbortSignal.timeout(2 * TIMEOUT_MS),
    });
    if (status !== 200) throw new Error(`${host} answered ${status}.`);
    return parsed(Buffer.concat(pieces).toString('utf8'), host);
  } finally {
    await http.close();
  }
}

function parsed(text: string, host: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`What ${host} answered is not JSON.`);
  }
}

/** The sign-in of the settings; undefined where none is set. Throws a `SettingsError` where no caller could be accepted. */
export async function openSignIn(settings: Settings, { clock, log }: { clock: Clock; log: Log }): Promise<SignIn | undefined> {
  const { issuer, audience, jwksUrl, clockSkewSeconds, tokensFile } = settings;
  if (issuer && tokensFile) throw new SettingsError('WEB_ANALYTICS_TOKENS_FILE: expected either this or WEB_ANALYTICS_ISSUER, not both');
  if (tokensFile) {
    const { createStaticSignIn, openTokensFile } = await import('../sign-in/static-tokens.ts');
    const file = openTokensFile(tokensFile, log);
    await asSetting('WEB_ANALYTICS_TOKENS_FILE', file.read());
    return createStaticSignIn({ file, clock, log });
  }
  if (!issuer || !audience) return undefined;
  const { createOAuthSignIn } = await import('../sign-in/oauth.ts');
  const algorithms = settings.tokenAlgorithms ?? tokenAlgorithms;
  return createOAuthSignIn({ issuer, audience, jwksAddress: jwksUrl, algorithms, clockSkewSeconds, fetchJson, clock, log });
}

/** Platform credentials of each principal; undefined where all share one. Throws a `SettingsError` where an entry cannot be opened. */
export async function openCredentials(settings: Settings, log: Log): Promise<PlatformCredentials | undefined> {
  const { credentialsFile, credentialsKey, issuer, tokensFile } = settings;
  if (!credentialsFile || !credentialsKey) return undefined;
  const variable = 'WEB_ANALYTICS_CREDENTIALS_FILE';
  if (!issuer && !tokensFile) {
    throw new SettingsError(
      `${variable}: needs sign-in, because otherwise the owner of a credential is unknown; set WEB_ANALYTICS_ISSUER or ` +
        'WEB_ANALYTICS_TOKENS_FILE',
    );
  }
  const { openCredentialsFile } = await import('../sign-in/credentials.ts');
  const file = openCredentialsFile({ path: credentialsFile, secret: credentialsKey, log });
  const entries = await asSetting(variable, file.list());
  if (entries.some((entry) => entry.fault === 'other key')) {
    throw new SettingsError(`WEB_ANALYTICS_CREDENTIALS_KEY: is not the key that "${credentialsFile}" was encrypted with`);
  }
  const changed = entries.filter((entry) => entry.fault === 'damaged').length;
  // Who it is stays out of the log.
  if (changed > 0)
    log('error', `Changed since they were written and not used: ${changed} entries of "${credentialsFile}". credentials list shows which.`);
  return file;
}

/** The same sign-in; its principals carry the version of their current credential. */
export function withCredentials(signIn: SignIn, credentials: PlatformCredentials): SignIn {
  return {
    ...signIn,
    async authenticate(request) {
      const found = await signIn.authenticate(request);
      if ('challenge' in found) return found;
      return { principal: { ...found.principal, credentialVersion: await credentials.versionOf(found.principal) } };
    },
  };
}

async function asSetting<T>(variable: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof PrivateFileError ? new SettingsError(`${variable}: ${error.message}`) : error;
  }
}

/** Runs a command that changes one of the files; prints a message and returns 1 where the file cannot be used. */
export async function withFile(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof PrivateFileError || error instanceof CredentialsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

/** Refuses an action that a command does not have, before anything else is looked at. */
export function requireAction(command: CommandName, action: string | undefined, actions: readonly string[]): void {
  if (action !== undefined && actions.includes(action)) return;
  const words = action === undefined ? `expected ${actions.join(', ')}` : `no action "${action}"; ${suggestion(action, actions)}`;
  throw new SettingsError(`${command}: ${words} ("${command} --help" shows examples)`);
}

/** Whether callers of HTTP serving could sign in, and whether their platform credentials open; empty where neither is set. */
export async function signInReport(settings: Settings, clock: Clock = systemClock): Promise<Check[]> {
  const { issuer, audience, tokensFile, credentialsFile } = settings;
  const log = logOf(settings);
  const checks: Check[] = [];
  if (issuer || tokensFile) {
    const words = issuer ? `access tokens of ${issuer} for ${audience} can be checked` : `static tokens of ${tokensFile} can be checked`;
    checks.push(...(await checksOf('sign-in', words, async () => present(await (await openSignIn(settings, { clock, log }))?.fault()))));
  }
  if (credentialsFile) {
    const words = `each caller has a platform credential of its own; ${credentialsFile} opens with the key`;
    checks.push(...(await checksOf('credentials', words, () => openCredentials(settings, log).then(() => []))));
  }
  return checks;
}
