import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { credentials } from '../../src/commands/credentials.ts';
import { openCredentials } from '../../src/commands/sign-in.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { temporaryFolder } from '../support/folder.ts';
import { captured } from './captured.ts';

const ALICE = { clientId: 'canary-id', clientSecret: 'canary-secret' };
const ISSUER = 'https://login.example.com';

/** Settings with a file of their own, for callers of an issuer unless told otherwise. */
function place(
  environment: Record<string, string> = { WEB_ANALYTICS_ISSUER: ISSUER, WEB_ANALYTICS_AUDIENCE: 'https://mcp.example.com/mcp' },
) {
  const path = join(temporaryFolder(), 'credentials.json');
  const variables = {
    ...environment,
    WEB_ANALYTICS_CREDENTIALS_FILE: path,
    WEB_ANALYTICS_CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  };
  const settings = readSettings(variables);
  const run = (positionals: string[], input = '') =>
    captured(() => credentials(settings, positionals, Readable.from([Buffer.from(input)])));
  const add = (name: string, credential: unknown) => run(['add', name], JSON.stringify(credential));
  const of = async (id: string) => (await openCredentials(settings, () => undefined))?.credentialsOf({ id });
  return { path, variables, settings, run, add, of };
}

describe('credentials', () => {
  it('keeps what came on stdin for a subject of the issuer', async () => {
    const { add, of } = place();
    const whole = { ...ALICE, enrichmentClientId: 'canary-shop', enrichmentClientSecret: 'canary-shop-secret', projectId: 1201 };
    expect(await add('alice', whole)).toEqual({
      code: 0,
      out: '',
      err:
        `The credential of ${ISSUER}#alice is kept, and counts with the next request. ` +
        'It was not tried: WEB_ANALYTICS_AUTH_URL is not set here.\n',
    });
    expect(await of(`${ISSUER}#alice`)).toEqual({
      credential: ALICE,
      enrichmentCredential: { clientId: 'canary-shop', clientSecret: 'canary-shop-secret' },
      defaultProjectId: 1201,
    });
    await expect(of('token:alice')).rejects.toThrow('no platform credential for you');
  });

  it('keeps it for the holder of a static token where these let in', async () => {
    const { add, of } = place({ WEB_ANALYTICS_TOKENS_FILE: '/tokens.json' });
    await add('alice', ALICE);
    await add('token:bob', ALICE);
    expect(await of('token:alice')).toEqual({ credential: ALICE });
    expect(await of('token:bob')).toEqual({ credential: ALICE });
  });

  it('lists without secrets, and removes by name or by what the list shows', async () => {
    const { add, run, path } = place();
    await add('alice', { ...ALICE, projectId: 1201 });
    await add('bob', ALICE);
    const listed = await run(['list']);
    expect(listed.code).toBe(0);
    expect(listed.out).toMatch(
      new RegExp(`^principal\\tchanged\\tproject\\tenrichment\\tstate\\n${ISSUER}#alice\\t20\\S+Z\\t1201\\t\\tgood\\n${ISSUER}#bob\\t`),
    );
    expect(await run(['remove', 'alice'])).toMatchObject({
      code: 0,
      err: `Removed the credential of ${ISSUER}#alice; it is used no more.\n`,
    });
    expect(await run(['remove', `${ISSUER}#bob`])).toMatchObject({ code: 0 });
    expect(await run(['remove', 'bob'])).toEqual({ code: 1, out: '', err: `There is no credential of ${ISSUER}#bob.\n` });
    expect(listed.out + listed.err + readFileSync(path, 'utf8')).not.toContain('canary');
  });

  it('shows what does not open with this key, and adds nothing beside it', async () => {
    const { add, path, variables } = place();
    await add('alice', ALICE);
    const other = readSettings({ ...variables, WEB_ANALYTICS_CREDENTIALS_KEY: randomBytes(32).toString('hex') });
    const run = (positionals: string[]) =>
      captured(() => credentials(other, positionals, Readable.from([Buffer.from(JSON.stringify(ALICE))])));
    expect(await run(['list'])).toMatchObject({ code: 1, out: expect.stringMatching(/#alice\t\S+\t\t\tother key\n$/) });
    expect(await run(['add', 'bob'])).toMatchObject({
      code: 1,
      err: `The file ${path} was encrypted with another key. Set the key it was made with, or begin a new file.\n`,
    });
  });

  it.each([
    '',
    'canary',
    '{"clientId":"canary"}',
    '{"clientId":"canary","clientSecret":""}',
    '[]',
    '{"clientId":"a","clientSecret":"b","secret":"canary"}',
    '{"clientId":"a","clientSecret":"b","enrichmentClientId":"canary"}',
    '{"clientId":"a","clientSecret":"b","projectId":"canary"}',
    'x'.repeat(70_000),
  ])('refuses other input without quoting it: %.40s', async (input) => {
    const { settings } = place();
    const failure: unknown = await credentials(settings, ['add', 'alice'], Readable.from([Buffer.from(input)])).catch(
      (error: unknown) => error,
    );
    expect(String(failure)).toContain('expected {"clientId":"…","clientSecret":"…"} on stdin');
    expect(String(failure)).not.toMatch(/canary|xxx/);
  });

  it.each<[string[], Record<string, string> | undefined, string]>([
    [[], undefined, 'credentials: expected add, list, remove'],
    [['add'], undefined, 'credentials: expected credentials add <name>'],
    [['add', 'alice', 'canary-secret'], undefined, 'credentials: expected credentials add <name>'],
    [['list', 'alice'], undefined, 'credentials: expected credentials add <name>'],
    [['add', 'alice'], {}, 'set WEB_ANALYTICS_ISSUER or WEB_ANALYTICS_TOKENS_FILE'],
    [['add', 'a b'], { WEB_ANALYTICS_TOKENS_FILE: '/tokens.json' }, '"a b" is not a valid token name'],
  ])('refuses %j', async (positionals, environment, words) => {
    const { settings } = place(environment);
    const failure: unknown = await credentials(settings, positionals, Readable.from([])).catch((error: unknown) => error);
    expect(String(failure)).toContain(words);
    expect(String(failure)).not.toContain('canary');
  });

  it('needs a file and its key', async () => {
    await expect(credentials(readSettings({}), ['list'])).rejects.toThrow('WEB_ANALYTICS_CREDENTIALS_FILE: is missing');
  });
});

describe('a server with credentials of its principals', () => {
  it('does not start with another key, without the file, or without sign-in', async () => {
    const { add, variables, path, settings } = place();
    const open = (environment: Record<string, string>) => openCredentials(readSettings(environment), () => undefined);
    await expect(open(variables)).rejects.toThrow(`WEB_ANALYTICS_CREDENTIALS_FILE: There is no file ${path} yet.`);
    await add('alice', ALICE);
    await expect(open({ ...variables, WEB_ANALYTICS_CREDENTIALS_KEY: randomBytes(32).toString('hex') })).rejects.toThrow(
      `WEB_ANALYTICS_CREDENTIALS_KEY: is not the key that "${path}" was encrypted with`,
    );
    const { credentialsFile = '', credentialsKey = '' } = settings;
    const alone = { WEB_ANALYTICS_CREDENTIALS_FILE: credentialsFile, WEB_ANALYTICS_CREDENTIALS_KEY: credentialsKey };
    await expect(open(alone)).rejects.toThrow('WEB_ANALYTICS_CREDENTIALS_FILE: needs sign-in');
  });

  it('starts all the same when one entry was changed, and says how to find it', async () => {
    const { add, path, settings } = place();
    await add('alice', ALICE);
    await add('bob', ALICE);
    writeFileSync(path, readFileSync(path, 'utf8').replace('#alice', '#eve'));
    const logged: string[] = [];
    const opened = await openCredentials(settings, (level, message) => void logged.push(`${level}: ${message}`));
    expect(logged).toEqual([`error: Changed since they were written and not used: 1 entries of "${path}". credentials list shows which.`]);
    expect(await opened?.credentialsOf({ id: `${ISSUER}#bob` })).toEqual({ credential: ALICE });
  });
});

describe('a credential that the platform can be asked about', () => {
  const platform = sharedPlatform();
  const asked = () => place({ WEB_ANALYTICS_TOKENS_FILE: '/tokens.json', WEB_ANALYTICS_AUTH_URL: platform().authUrl });
  const good = () => {
    const { clientId, clientSecret } = platform().credentials.shop;
    return { clientId, clientSecret };
  };

  it('is tried before it is kept', async () => {
    const { add, of } = asked();
    const { code, err } = await add('alice', good());
    expect(err).toMatch(
      /^The credential of token:alice is kept, and counts with the next request\. The platform accepts it: scopes .*metrics/,
    );
    expect(code).toBe(0);
    expect(await of('token:alice')).toEqual({ credential: good() });
  });

  it.each([
    ['a wrong secret', { clientSecret: 'wrong' }, 'The platform does not accept it'],
    ['another project', { projectId: 7 }, "Project 7 is none of this credential's"],
  ])('is not kept with %s', async (_name, spoilt, words) => {
    const { add, of } = asked();
    const { code, err } = await add('alice', { ...good(), ...spoilt });
    expect(err).toContain(words);
    expect(err).toContain('Nothing was changed.');
    expect(code).toBe(1);
    await expect(of('token:alice')).rejects.toThrow('WEB_ANALYTICS_CREDENTIALS_FILE: There');
  });

  it('is kept where the platform does not answer, which is said', async () => {
    const { add } = place({ WEB_ANALYTICS_TOKENS_FILE: '/tokens.json', WEB_ANALYTICS_AUTH_URL: 'http://127.0.0.1:9' });
    const { code, err } = await add('alice', ALICE);
    expect([code, err]).toEqual([0, expect.stringContaining('is kept, and counts with the next request. It could not be tried:')]);
  });
});
