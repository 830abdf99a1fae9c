import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSignIn } from '../../src/commands/sign-in.ts';
import { type TokenFlags, token } from '../../src/commands/token.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { temporaryFolder } from '../support/folder.ts';
import { captured } from './captured.ts';

function place() {
  const path = join(temporaryFolder(), 'tokens.json');
  const settings = readSettings({ WEB_ANALYTICS_TOKENS_FILE: path });
  const run = (positionals: string[], flags?: TokenFlags) => captured(() => token(settings, positionals, flags));
  const enter = async (sent: string) => {
    const signIn = await openSignIn(settings, { clock: systemClock, log: () => undefined });
    return signIn?.authenticate({ authorization: `Bearer ${sent}` });
  };
  return { path, settings, run, enter };
}

describe('token', () => {
  it('writes a new token alone to stdout, once, and lets its holder in', async () => {
    const { run, enter, path } = place();
    const made = await run(['create', 'alice'], { scopes: 'read,write', validDays: '90' });
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^wam_[\w-]{43}\n$/) });
    expect(made.err).toMatch(
      /^Token "alice" for read and write, valid until 20\d\d-\S+Z\. It is shown this once; only its digest is kept\.\n$/,
    );
    const secret = made.out.trim();
    expect(await enter(secret)).toMatchObject({ principal: { id: 'token:alice', scopes: new Set(['read', 'write']) } });
    const listed = await run(['list']);
    expect(listed.out).toMatch(/^name\tscopes\tcreated\texpires\nalice\tread write\t20\S+Z\t20\S+Z\n$/);
    expect(listed.out + listed.err + made.err + readFileSync(path, 'utf8')).not.toContain(secret.slice(4));
  });

  it('allows reading alone, without an end, unless told otherwise', async () => {
    const { run, enter } = place();
    const { out, err } = await run(['create', 'bob@example.com']);
    expect(err).toContain('for read, valid until it is removed');
    const entered = await enter(out.trim());
    expect(entered).toEqual({ principal: { id: 'token:bob@example.com', scopes: new Set(['read']) } });
  });

  it('of a name that is taken is not made, and the old one stays', async () => {
    const { run, enter } = place();
    const { out } = await run(['create', 'alice']);
    expect(await run(['create', 'alice'])).toEqual({
      code: 1,
      out: '',
      err: 'There is a token "alice" already. Remove it first, or choose another name.\n',
    });
    expect(await enter(out.trim())).toHaveProperty('principal');
  });

  it('is removed by its name', async () => {
    const { run, enter } = place();
    const { out } = await run(['create', 'alice']);
    await run(['create', 'bob']);
    expect(await run(['remove', 'eve'])).toMatchObject({ code: 1, err: 'There is no token "eve"; there are: alice, bob.\n' });
    expect(await run(['remove', 'alice'])).toMatchObject({ code: 0, out: '' });
    expect(await enter(out.trim())).toMatchObject({ challenge: { status: 401 } });
    expect((await run(['list'])).out).not.toContain('alice');
  });

  it('says what to do where there is no file yet', async () => {
    const { run, path } = place();
    expect(await run(['list'])).toEqual({ code: 1, out: '', err: `There is no file ${path} yet. Add the first of its tokens.\n` });
  });

  it.each<[string[], TokenFlags, string]>([
    [[], {}, 'token: expected create, list, remove ("token --help" shows examples)'],
    [['create'], {}, 'token: expected token create <name>'],
    [['create', 'a', 'b'], {}, 'token: expected token create <name>'],
    [['list', 'alice'], {}, 'token: expected token create <name>'],
    [['lst'], {}, 'token: no action "lst"; did you mean list?'],
    [['qqq', 'alice'], {}, 'token: no action "qqq"; there are create, list, remove'],
    [['create', 'a b'], {}, 'expected a name of letters'],
    [['create', 'token:a'], {}, 'expected a name of letters'],
    [['create', 'a'], { scopes: 'admin' }, '--scopes "admin" is wrong: expected read, or read,write'],
    [['create', 'a'], { scopes: 'write' }, '--scopes "write" is wrong'],
    [['create', 'a'], { scopes: 'read,admin' }, '--scopes "read,admin" is wrong'],
    [['create', 'a'], { validDays: '0' }, '--valid-days "0" is wrong: expected a whole number of days from 1 to 3650'],
    [['create', 'a'], { validDays: '1.5' }, '--valid-days "1.5" is wrong'],
  ])('refuses %j %j', async (positionals, flags, words) => {
    const { settings } = place();
    await expect(token(settings, positionals, flags)).rejects.toThrow(words);
  });

  it('needs a file', async () => {
    await expect(token(readSettings({}), ['list'])).rejects.toThrow('WEB_ANALYTICS_TOKENS_FILE: is missing');
  });
});
