import type { ErrorKind } from '../api/errors.ts';
import type { Log } from '../lib/log.ts';
import { type SettingName, type Settings, settingDeclarations } from '../settings/settings.ts';
import { missingCredential } from '../settings/unknown-variables.ts';
import { name, version } from './about.ts';
import { dataDirectory, dataDirectoryFault } from './directories.ts';
import type { Platform } from './platform.ts';

function signInOf({ http, issuer, tokensFile }: Settings): string {
  if (!http) return 'none';
  if (issuer !== undefined) return 'issuer';
  return tokensFile === undefined ? 'none' : 'static tokens';
}

/** One line that says what runs: version, eras of the protocol, who may call, what is offered, and where files go. */
export function logStart(settings: Settings, log: Log): void {
  const { toolsets, readOnly, demo } = settings;
  log('info', 'started', {
    version,
    protocol: '2025-11-25, 2026-07-28',
    signIn: signInOf(settings),
    toolsets: toolsets?.join(', ') ?? 'all',
    readOnly: readOnly ? 'yes' : undefined,
    platform: demo ? 'emulator' : (settings.authUrl ?? 'none set'),
    directory: demo ? 'temporary' : dataDirectory(settings),
  });
}

/** Settings that have no effect over stdio. */
const HTTP_ALONE: readonly SettingName[] = ['allowedHosts', 'allowedOrigins', 'tlsCertFile', 'issuer', 'tokensFile'];
const PING_MS = 10_000;

/** Warns that settings have no effect: without --http the server would end at once without a reason. */
function warnOfHttpSettings(settings: Settings, log: Log): void {
  const { host } = settingDeclarations;
  const idle = HTTP_ALONE.filter((each) => settings[each] !== undefined).map((each) => settingDeclarations[each].variable);
  const names = settings.host === host.default ? idle : [host.variable, ...idle];
  if (names.length > 0) log('warn', `Over stdio nothing becomes of ${names.join(', ')}; --http serves over HTTP`);
}

/** Warns at a start of what the first download would meet; the other tools work without the directory. */
async function warnOfDataDirectory(settings: Pick<Settings, 'demo' | 'dataDir'>, log: Log): Promise<void> {
  const fault = await dataDirectoryFault(settings).catch((error: unknown) => String(error));
  if (fault !== undefined) log('warn', `exports cannot be downloaded: ${fault}`);
}

/** Warns at a start of HTTP serving of what the first call would meet. */
export function warnOfMissing(settings: Settings, log: Log): void {
  void warnOfDataDirectory(settings, log);
  const missing = settings.demo || settings.credentialsFile ? undefined : missingCredential(settings);
  if (missing !== undefined) log('warn', missing);
}

const [authUrl, clientId, clientSecret] = (['authUrl', 'clientId', 'clientSecret'] as const).map(
  (setting) => settingDeclarations[setting].variable,
);

/** Warnings about an authentication server that gives no token, by the kind of its refusal. */
const REFUSALS: Partial<Record<ErrorKind, string>> = {
  down: `the authentication server at ${authUrl} does not answer`,
  timeout: `the authentication server at ${authUrl} does not answer in time`,
  settings: `${authUrl} is not the address of an authentication server`,
  unauthorized: `the platform refuses the credential in ${clientId} and ${clientSecret}`,
};

/** Says once, at the first call that meets it, that the platform gives no token: not every host shows what a call answers. */
function warnOfRefusals({ observe, log }: Pick<Platform, 'observe' | 'log'>): void {
  let said = false;
  observe((event) => {
    if (said || event.type !== 'request' || event.operation.base !== 'auth') return;
    const words = event.outcome === 'ok' || event.outcome === 'aborted' ? undefined : REFUSALS[event.outcome];
    // A first failure of the network is repeated and may be gone then.
    const passes = (event.outcome === 'down' || event.outcome === 'timeout') && event.attempt === 1;
    if (words === undefined || passes) return;
    said = true;
    log('warn', `${words}; "${name} doctor" shows what is wrong`);
  });
}

/** Says to a person who started the server by hand what it waits for, and whether the platform can be reached. */
async function greetTerminal({ demo }: Settings, { reachTokens, log }: Pick<Platform, 'reachTokens' | 'log'>, end: AbortSignal) {
  process.stderr.write(
    `${name} waits for an MCP client on stdin, which is how a host starts it. "${name} demo" shows what it does, "${name} doctor" ` +
      'checks the settings, Ctrl-C ends it.\n',
  );
  if (demo) return;
  try {
    await reachTokens(AbortSignal.any([end, AbortSignal.timeout(PING_MS)]));
  } catch (error) {
    if (!end.aborted) log('warn', error instanceof Error ? error.message : String(error));
  }
}

/**
 * Says on stderr, once, what keeps the server over stdio from answering: it serves all the same, so that a host lists the tools. Asks the
 * platform only where a person started it, and until `end`: a host may start many servers that it never calls.
 */
export function warnAtStart(settings: Settings, platform: Pick<Platform, 'observe' | 'log' | 'reachTokens'>, end: AbortSignal): void {
  const { log } = platform;
  logStart(settings, log);
  warnOfHttpSettings(settings, log);
  void warnOfDataDirectory(settings, log);
  if (process.stdin.isTTY) return void greetTerminal(settings, platform, end);
  const missing = settings.demo ? undefined : missingCredential(settings);
  if (missing !== undefined) log('warn', missing);
  else warnOfRefusals(platform);
}
