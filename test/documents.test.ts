import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import about from '../package.json' with { type: 'json' };
import { shownHints } from '../src/lib/hint.ts';
import { instructions } from '../src/protocol/server.ts';
import type { Setting } from '../src/settings/setting.ts';
import { settingDeclarations } from '../src/settings/settings.ts';
import { changesSomething } from '../src/tooling/tool.ts';
import { toolsets } from '../tools/index.ts';
import { CLIENTS } from './clients/clients.mjs';
import { documentPages } from './support/documents.ts';
import { filesBelow, textOf } from './support/sources.ts';

/** The text without code, where brackets are no links. */
const prose = (path: string) => textOf(path).replaceAll(/```[^]*?```|`[^`\n]*`/g, '');
const linksIn = (path: string) => [...prose(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
const anchorsIn = (path: string) =>
  [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
const repository = about.repository.url.replace(/^git\+|\.git$/g, '');

/** Where a link leads inside the project; undefined for one that leads out of it. */
function targetOf(page: string, link: string): { path: string; anchor: string | undefined } | undefined {
  const inner = link.startsWith(`${repository}/blob/main/`) ? `/${link.slice(`${repository}/blob/main/`.length)}` : link;
  if (/^[a-z]+:/.test(inner)) return undefined;
  const [path = '', anchor] = inner.split('#');
  const resolved = path === '' ? page : path.startsWith('/') ? path.slice(1) : join(dirname(page), path);
  return { path: resolved, anchor };
}

describe('links', () => {
  it.each(documentPages)('of %s lead to what is there', (page) => {
    const broken = linksIn(page).filter((link) => {
      const target = targetOf(page, link);
      if (!target) return !/^https:\/\/[\w.-]+(\/|$)/.test(link);
      if (!existsSync(target.path)) return true;
      return target.anchor !== undefined && !anchorsIn(target.path).includes(target.anchor);
    });
    expect(broken).toEqual([]);
  });

  it('lead from README to every page, and from every page back', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const link of linksIn(page)) {
        const path = targetOf(page, link)?.path;
        if (path?.endsWith('.md')) reached.add(path);
      }
    }
    expect(documentPages.filter((page) => !reached.has(page))).toEqual([]);
    const lost = filesBelow('docs').filter((page) => page.endsWith('.md') && !linksIn(page).some((link) => link.endsWith('README.md')));
    expect(lost).toEqual([]);
  });

  it('of the package files lead to documentPages that exist', () => {
    const urls = ['manifest.json', 'server.json'].flatMap((file) => textOf(file).match(/https:\/\/github\.com[^"]+/g) ?? []);
    const paths = urls.flatMap((url) => /\/(?:blob|raw)\/main\/(.+)$/.exec(url)?.[1] ?? []);
    expect(paths.length).toBeGreaterThan(2);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('the README', () => {
  it('is short, and its picture is there', () => {
    expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200);
    expect(textOf('README.md')).toMatch(/!\[[^\]]{20,}\]\(docs\/images\/\w+\.png\)/);
  });
});

describe('the table of clients', () => {
  it('has all that `npm run clients` tries, in their versions', () => {
    const row = ({ name, version }: { name: string; version?: string }) => `| ${name} | ${version ?? ''}`;
    expect(CLIENTS.map(row).filter((begin) => !textOf('docs/hosts.md').includes(begin))).toEqual([]);
  });
});

describe('words of the documents', () => {
  const whole = documentPages.map(textOf).join('\n');

  it('name only variables that are settings', () => {
    const known = new Set(Object.values<Setting>(settingDeclarations).flatMap(({ variable }) => [variable, `${variable}_FILE`]));
    const named = [...new Set(whole.match(/WEB_ANALYTICS_[A-Z_]*[A-Z]/g))];
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('name only files of the source that exist', () => {
    const named = [...new Set([...whole.matchAll(/`((?:src|test|docs|\.ci)\/[\w./-]+)`/g)].map(([, path = '']) => path))];
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
    const names = new Set(filesBelow('src', 'tools', 'test', '.ci').map((path) => path.replace(/.*\//, '')));
    const bare = [...new Set([...whole.matchAll(/`([\w-]+(?:\.test)?\.[cm]?tsx?)`/g)].map(([, name = '']) => name))];
    expect(bare.filter((name) => !names.has(name))).toEqual([]);
  });

  it('say of the one tool that writes without a question that it does, and of the others that they ask', () => {
    const writing = toolsets.flatMap(({ tools }) => tools).filter((tool) => changesSomething(tool));
    expect(writing.filter(({ confirmed }) => !confirmed).map(({ name }) => name)).toEqual(['create_speed_event']);
    expect(textOf('README.md')).toContain('ask first; only `create_speed_event`');
    expect(textOf('SECURITY.md')).toContain('ask first, but for `create_speed_event`');
    expect(shownHints(instructions({ timeZone: 'UTC', nowMs: 0 }))).toContain('only create_speed_event writes at once');
  });
});
