import { expect, it } from 'vitest';
import { type SettingName, settingDeclarations } from '../src/settings/settings.ts';
import { filesBelow, textOf } from './support/sources.ts';

const readers = filesBelow('src')
  .filter((path) => path.endsWith('.ts') && !path.startsWith('src/settings/'))
  .map((path) => ({ path, text: textOf(path) }))
  .filter(({ text }) => /\bSettings\b/.test(text));

/** Whether a source takes this setting out of the settings: `settings.name`, or `{ name }` of them. */
function reads(text: string, name: string): boolean {
  if (new RegExp(`\\bsettings\\.${name}\\b`).test(text)) return true;
  const taken = [...text.matchAll(/\{([^{}]*)\}(?:: Settings\b|: Pick<Settings\b| = (?:settings|read)\b)/g)].map(
    ([, members = '']) => members,
  );
  return taken.some((members) => new RegExp(`(^|[\\s,])${name}\\b`).test(members));
}

it.each(Object.keys(settingDeclarations) as SettingName[])('%s reaches what it is for', (name) => {
  const found = readers.filter(({ text }) => reads(text, name)).map(({ path }) => path);
  expect(found, `src/settings declares ${name}, and no part of src reads it`).not.toEqual([]);
});

it('finds a setting that is read, and none that is not', () => {
  expect(reads('const { port, host } = settings;', 'host')).toBe(true);
  expect(reads('function open({ port }: Settings) {}', 'port')).toBe(true);
  expect(reads('const { port } = settings;', 'host')).toBe(false);
});
