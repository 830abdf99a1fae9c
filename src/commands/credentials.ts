import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import * as z from 'zod';
import { ApiError } from '../api/errors.ts';
import { systemClock } from '../lib/clock.ts';
import { textTable } from '../lib/text-table.ts';
import { type Settings, SettingsError, settingDeclarations } from '../settings/settings.ts';
import { type CredentialsFile, openCredentialsFile } from '../sign-in/credentials.ts';
import { type PlatformCredential, subjectId } from '../sign-in/principal.ts';
import { TOKEN_NAME, tokenPrincipalId } from '../sign-in/static-tokens.ts';
import { logOf } from './about.ts';
import { listedTools } from './catalogue.ts';
import { createPlatform, credentialIn } from './platform.ts';
import { requireAction, withFile } from './sign-in.ts';

/** Asks at a terminal, question by question on stderr; what is typed is not shown. Throws a `SettingsError` when the person gives up. */
export async function askHidden(input: NodeJS.ReadableStream, questions: readonly string[]): Promise<string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  const given = new AbortController();
  lines.once('close', () => given.abort());
  const answers: string[] = [];
  try {
    for (const question of questions) {
      process.stderr.write(`${question} (not shown): `);
      answers.push((await lines.question('', { signal: given.signal })).trim());
      process.stderr.write('\n');
    }
    return answers;
  } catch (error) {
    if (given.signal.aborted) throw new SettingsError('nothing was changed');
    throw error;
  } finally {
    lines.close();
  }
}

const USAGE = 'credentials add <name> (the credential comes from stdin), credentials list, or credentials remove <name>';
const EXPECTED =
  'expected {"clientId":"…","clientSecret":"…"} on stdin; "enrichmentClientId", "enrichmentClientSecret" and "projectId" are optional';
const MAX_INPUT_BYTES = 65_536;

/** Where the credential is read from; never the command line, which others on the machine can see. */
export type CredentialInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };

const part = z.string().trim().min(1);
const given = z.strictObject({
  clientId: part,
  clientSecret: part,
  enrichmentClientId: part.optional(),
  enrichmentClientSecret: part.optional(),
  projectId: z.int().positive().optional(),
});

/** The identity behind a name: a subject of the issuer, or the name of a static token. What `list` shows is taken as it is. */
function principalIdOf({ issuer, tokensFile }: Settings, name: string): string {
  if (issuer) return name.startsWith(subjectId(issuer, '')) ? name : subjectId(issuer, name);
  if (!tokensFile) {
    throw new SettingsError('credentials: set WEB_ANALYTICS_ISSUER or WEB_ANALYTICS_TOKENS_FILE, so that it is clear whose name this is');
  }
  const tokenName = name.replace(/^token:/, '');
  if (!TOKEN_NAME.test(tokenName)) throw new SettingsError(`credentials: "${name}" is not a valid token name`);
  return tokenPrincipalId(tokenName);
}

const unexpected = () => new SettingsError(`credentials add: ${EXPECTED}`);

function toCredential(text: string): PlatformCredential {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw unexpected();
  }
  const { data } = given.safeParse(json);
  if (!data || (data.enrichmentClientId === undefined) !== (data.enrichmentClientSecret === undefined)) throw unexpected();
  return credentialIn(data);
}

async function textOf(input: CredentialInput): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > MAX_INPUT_BYTES) throw unexpected();
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function credentialFrom(input: CredentialInput): Promise<PlatformCredential> {
  if (!input.isTTY) return toCredential(await textOf(input));
  const [clientId, clientSecret, projectId] = await askHidden(input, ['Client ID', 'Client secret', 'Project ID (or nothing)']);
  return toCredential(JSON.stringify({ clientId, clientSecret, ...(projectId && { projectId: Number(projectId) }) }));
}

async function list(file: CredentialsFile): Promise<number> {
  const rows = (await file.list()).map(({ principal, changedAt, defaultProjectId, hasEnrichment, fault }) => ({
    principal,
    changed: changedAt,
    project: defaultProjectId === undefined ? '' : String(defaultProjectId),
    enrichment: hasEnrichment ? 'own' : '',
    state: fault ?? 'good',
  }));
  process.stdout.write(`${textTable(rows, ['principal', 'changed', 'project', 'enrichment', 'state'])}\n`);
  return rows.every(({ state }) => state === 'good') ? 0 : 1;
}

const TRY_MS = 30_000;

/** The platform's verdict on a credential: whether it is refused, and the words to show. */
async function tried(settings: Settings, own: PlatformCredential) {
  const { variable } = settingDeclarations.authUrl;
  if (!settings.authUrl) return { isRefused: false, words: `It was not tried: ${variable} is not set here.` };
  const platform = createPlatform(
    settings,
    await listedTools(),
    { seed: 1, faults: [] },
    { credentialsOf: async () => own, versionOf: async () => '' },
  );
  const session = platform.openSession();
  try {
    const client = await session.client();
    const signal = AbortSignal.timeout(TRY_MS);
    const { projects, scopes } = await client.credential({ signal });
    const names = projects.map(({ id, name }) => `${id} ${name}`).join(', ');
    const { defaultProjectId, enrichmentCredential } = own;
    if (defaultProjectId !== undefined && projects.length > 0 && !projects.some(({ id }) => id === defaultProjectId))
      return { isRefused: true, words: `Project ${defaultProjectId} is none of this credential's: ${names}.` };
    if (enrichmentCredential) await client.authenticate({ scope: 'enrichment', signal });
    return { isRefused: false, words: `The platform accepts it: scopes ${scopes.join(', ')}${names && `; projects ${names}`}.` };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const passes = error.kind === 'down' || error.kind === 'timeout' || error.kind === 'busy';
    return { isRefused: !passes, words: `${passes ? 'It could not be tried' : 'The platform does not accept it'}: ${error.message}` };
  } finally {
    await session.close();
    await platform.close();
  }
}

async function add(settings: Settings, { file, principal, input }: { file: CredentialsFile; principal: string; input: CredentialInput }) {
  const own = await credentialFrom(input);
  const { isRefused, words } = await tried(settings, own);
  if (isRefused) {
    process.stderr.write(`${words} Nothing was changed.\n`);
    return 1;
  }
  await file.put(principal, own, systemClock.now());
  process.stderr.write(`The credential of ${principal} is kept, and counts with the next request. ${words}\n`);
  return 0;
}

/** Adds, lists or removes platform credentials of principals; the credential itself is never written anywhere but into the file. */
export async function credentials(
  settings: Settings,
  positionals: readonly string[],
  input: CredentialInput = process.stdin,
): Promise<number> {
  const { credentialsFile: path, credentialsKey: secret } = settings;
  const [action, name = '', ...rest] = positionals;
  requireAction('credentials', action, ['add', 'list', 'remove']);
  if (!path || !secret) {
    throw new SettingsError(
      'WEB_ANALYTICS_CREDENTIALS_FILE: is missing; expected the file of credentials, and its key in WEB_ANALYTICS_CREDENTIALS_KEY',
    );
  }
  const file = openCredentialsFile({ path, secret, log: logOf(settings) });
  const said = (words: string) => void process.stderr.write(`${words}\n`);
  return withFile(async () => {
    if (action === 'list' && name === '') return list(file);
    if (!(action === 'add' || action === 'remove') || name === '' || rest.length > 0)
      throw new SettingsError(`credentials: expected ${USAGE}`);
    const principal = principalIdOf(settings, name);
    if (action === 'add') return add(settings, { file, principal, input });
    const wasThere = await file.remove(principal);
    said(wasThere ? `Removed the credential of ${principal}; it is used no more.` : `There is no credential of ${principal}.`);
    return wasThere ? 0 : 1;
  });
}
