import { DAY_MS, systemClock } from '../lib/clock.ts';
import { textTable } from '../lib/text-table.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';
import { type AccessScope, accessScopes } from '../sign-in/principal.ts';
import { makeToken, openTokensFile, TOKEN_NAME, type TokensFile } from '../sign-in/static-tokens.ts';
import { logOf } from './about.ts';
import { requireAction, withFile } from './sign-in.ts';

const USAGE = 'token create <name> [--scopes read,write] [--valid-days 90], token list, or token remove <name>';
const MAX_DAYS = 3_650;

/** How a new token is asked for on the command line. */
export interface TokenFlags {
  readonly scopes?: string | undefined;
  readonly validDays?: string | undefined;
}

function scopesOf(text = 'read'): AccessScope[] {
  const named = text.split(',').map((scope) => scope.trim());
  const scopes = accessScopes.filter((scope) => named.includes(scope));
  if (scopes.length === new Set(named).size && scopes.includes('read')) return scopes;
  throw new SettingsError(`--scopes "${text}" is wrong: expected read, or read,write`);
}

function expiryOf(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MAX_DAYS) return nowMs + days * DAY_MS;
  throw new SettingsError(`--valid-days "${text}" is wrong: expected a whole number of days from 1 to ${MAX_DAYS}`);
}

async function create(file: TokensFile, name: string, { scopes: scopesText, validDays }: TokenFlags): Promise<number> {
  if (!TOKEN_NAME.test(name)) throw new SettingsError(`token create "${name}": expected a name of letters, digits and . _ @ + -`);
  const scopes = scopesOf(scopesText);
  const nowMs = systemClock.now();
  const { token: made, stored } = makeToken({ name, scopes, nowMs, expiresAtMs: expiryOf(validDays, nowMs) });
  let isTaken = false;
  await file.change((content) => {
    isTaken = content.tokens.some((each) => each.name === name);
    return isTaken ? content : { ...content, tokens: [...content.tokens, stored] };
  });
  if (isTaken) {
    process.stderr.write(`There is a token "${name}" already. Remove it first, or choose another name.\n`);
    return 1;
  }
  process.stderr.write(
    `Token "${name}" for ${scopes.join(' and ')}, valid ` +
      `${stored.expiresAt === undefined ? 'until it is removed' : `until ${stored.expiresAt}`}. It is shown this once; only its ` +
      'digest is kept.\n',
  );
  process.stdout.write(`${made}\n`);
  return 0;
}

async function list(file: TokensFile): Promise<number> {
  const rows = (await file.read()).tokens.map(({ name, scopes, createdAt, expiresAt }) => ({
    name,
    scopes: scopes.join(' '),
    created: createdAt,
    expires: expiresAt ?? 'never',
  }));
  process.stdout.write(`${textTable(rows, ['name', 'scopes', 'created', 'expires'])}\n`);
  return 0;
}

async function remove(file: TokensFile, name: string): Promise<number> {
  const { tokens } = await file.read();
  if (!tokens.some((each) => each.name === name)) {
    process.stderr.write(`There is no token "${name}"; there are: ${tokens.map((each) => each.name).join(', ') || 'none'}.\n`);
    return 1;
  }
  await file.change((content) => ({ ...content, tokens: content.tokens.filter((each) => each.name !== name) }));
  process.stderr.write(`Removed the token "${name}"; it stops working with the next request.\n`);
  return 0;
}

/** Creates, lists or removes static tokens; a new one is written to stdout, all messages to stderr. */
export async function token(settings: Settings, positionals: readonly string[], flags: TokenFlags = {}): Promise<number> {
  const { tokensFile } = settings;
  const [action, name, ...rest] = positionals;
  requireAction('token', action, ['create', 'list', 'remove']);
  if (tokensFile === undefined)
    throw new SettingsError(
      'WEB_ANALYTICS_TOKENS_FILE: is missing; expected the file that tokens are kept in (or --tokens-file tokens.json)',
    );
  const file = openTokensFile(tokensFile, logOf(settings));
  return withFile(async () => {
    if (action === 'create' && name !== undefined && rest.length === 0) return create(file, name, flags);
    if (action === 'remove' && name !== undefined && rest.length === 0) return remove(file, name);
    if (action === 'list' && name === undefined) return list(file);
    throw new SettingsError(`token: expected ${USAGE}`);
  });
}
