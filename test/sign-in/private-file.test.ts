import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createPrivateFile } from '../../src/sign-in/private-file.ts';
import { temporaryFolder } from '../support/folder.ts';

const schema = z.strictObject({ version: z.literal(1), names: z.array(z.string()) });

function place(fileName = 'names.json') {
  const folder = temporaryFolder();
  const path = join(folder, fileName);
  const logged: string[] = [];
  const options = {
    path,
    kind: 'names',
    schema,
    empty: { version: 1 as const, names: [] },
    log: (level: string, message: string) => void logged.push(`${level}: ${message}`),
  };
  const file = createPrivateFile(options);
  const add = (name: string) => file.change(({ version, names }) => ({ version, names: [...names, name] }));
  return { folder, path, file, add, logged, options };
}

describe('a file of its owner', () => {
  it('is made with its first entry, for the owner alone, and leaves nothing beside it', async () => {
    const { folder, path, file, add, logged } = place();
    await expect(file.read()).rejects.toThrow(`There is no file ${path} yet. Add the first of its names.`);
    await add('a');
    await add('b');
    expect(await file.read()).toEqual({ version: 1, names: ['a', 'b'] });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['names.json']);
    expect(logged).toEqual([]);
  });

  it('is read again when it has changed, and only then', async () => {
    const { file, add, options } = place();
    await add('a');
    const first = await file.read();
    expect(await file.read()).toBe(first);
    await createPrivateFile(options).change(() => ({ version: 1, names: ['z'] }));
    expect(await file.read()).toEqual({ version: 1, names: ['z'] });
  });

  it('is read again when it was edited in place, without a change of its size', async () => {
    const { path, file, add } = place();
    await add('a');
    expect((await file.read()).names).toEqual(['a']);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"a"', '"b"'));
    utimesSync(path, 1, 1);
    expect((await file.read()).names).toEqual(['b']);
  });

  it('is changed by one command at a time, and says how to go on after one that died', async () => {
    const { path, file, add } = place();
    const outcomes = await Promise.allSettled([add('a'), add('b'), add('c')]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await file.read()).names).toHaveLength(1);
    writeFileSync(`${path}.lock`, '');
    await expect(add('d')).rejects.toThrow(`Another command changes ${path}. Try again; if none runs, remove ${path}.lock.`);
  });

  it('stays as it was when a change fails', async () => {
    const { folder, path, file, add } = place();
    await add('a');
    const before = readFileSync(path, 'utf8');
    const failing = file.change(() => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(folder)).toEqual(['names.json']);
  });

  it('that cannot be replaced says so, and nothing is left beside it', async () => {
    const { folder, path, file } = place();
    const isFolder = file.change((content) => {
      mkdirSync(path);
      return content;
    });
    await expect(isFolder).rejects.toThrow(`The file ${path} cannot be written (EISDIR). Check its folder and who may write there.`);
    expect(readdirSync(folder)).toEqual(['names.json']);
    await expect(file.read()).rejects.toThrow(`The file ${path} cannot be read (EISDIR). Check who may read it.`);
    rmSync(path, { recursive: true });
    const isGone = file.change((content) => {
      rmSync(folder, { recursive: true });
      return content;
    });
    await expect(isGone).rejects.toThrow(`The file ${path} cannot be written (ENOENT).`);
    mkdirSync(folder);
  });

  it('stays a link when it is one', async () => {
    const { folder, path, add } = place('link.json');
    writeFileSync(join(folder, 'real.json'), '{"version":1,"names":[]}', { mode: 0o600 });
    symlinkSync(join(folder, 'real.json'), path);
    await add('a');
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'real.json'), 'utf8')).toContain('"a"');
  });

  it.each([0o644, 0o660, 0o604])('is warned of once when its mode is %o', async (mode) => {
    const { path, file, add, logged } = place();
    await add('a');
    chmodSync(path, mode);
    await file.read();
    await file.read();
    expect(logged).toEqual([
      `warn: The file ${path} is open to others than its owner (mode ${mode.toString(8)}). Close it: chmod 600 ${path}`,
    ]);
  });

  it.each([
    ['canary {', 'is not valid JSON'],
    ['{"version":2,"names":["canary"]}', 'holds no names of this version'],
    ['["canary"]', 'holds no names of this version'],
    ['{"version":1,"names":[],"canary":1}', 'holds no names of this version'],
  ])('that holds something else is refused without quoting it: %s', async (text, words) => {
    const { path, file, add } = place();
    writeFileSync(path, text);
    const failure: unknown = await file.read().catch((error: unknown) => error);
    expect(String(failure)).toContain(words);
    expect(String(failure)).not.toContain('canary');
    await expect(add('a')).rejects.toThrow(words);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('in a folder that is not there is refused by its name', async () => {
    const { folder, add } = place('nowhere/names.json');
    await expect(add('a')).rejects.toThrow(`The file ${join(folder, 'nowhere/names.json')} cannot be changed (ENOENT).`);
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });
});
