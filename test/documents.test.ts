import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import about from '../package.json' with { type: 'json' };
import { questions } from '../src/commands/demo/demo.ts';
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

it('docs/charts.md says of each tool with a picture what it draws', () => {
  const charted = toolsets.flatMap(({ tools }) => tools).filter((tool) => tool.charted);
  expect(charted.map(({ name }) => name).filter((name) => !textOf('docs/charts.md').includes(`\`${name}\``))).toEqual([]);
});

it.each(documentPages)('links of %s lead to what is there', (page) => {
  const broken = linksIn(page).filter((link) => {
    const target = targetOf(page, link);
    if (!target) return !/^https:\/\/[\w.-]+(\/|$)/.test(link);
    if (!existsSync(target.path)) return true;
    return target.anchor !== undefined && !anchorsIn(target.path).includes(target.anchor);
  });
  expect(broken).toEqual([]);
});

it('links lead from README to every page, and from every page back', () => {
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

it('links of the package files lead to documentPages that exist', () => {
  const urls = ['manifest.json', 'server.json'].flatMap((file) => textOf(file).match(/https:\/\/github\.com[^"]+/g) ?? []);
  const paths = urls.flatMap((url) => /\/(?:blob|raw)\/main\/(.+)$/.exec(url)?.[1] ?? []);
  expect(paths.length).toBeGreaterThan(2);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

it('the README is short, and its picture is there', () => {
  const words = textOf('README.md')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  expect(words.length).toBeLessThanOrEqual(900);
  expect(textOf('README.md')).toMatch(/!\[[^\]]{20,}\]\(docs\/images\/\w+\.png\)/);
});

describe('CHANGELOG.md', () => {
  it('says of this version what users need to know in about forty lines: what is new, what changed, what was mended, what breaks', () => {
    const [, section = ''] = textOf('CHANGELOG.md').split(`\n## ${about.version}`);
    const [own = ''] = section.split('\n## ');
    expect(own.match(/^### .*$/gm)).toEqual(['### Added', '### Changed', '### Fixed', '### Breaking']);
    expect(own.match(/^- /gm)?.length).toBeLessThanOrEqual(40);
  });
});

describe('figures of the documents', () => {
  const readme = textOf('README.md');
  const figure = (pattern: RegExp, text = readme) => {
    const [, value] = pattern.exec(text) ?? [];
    if (value === undefined) throw new Error(`No text fits ${String(pattern)}.`);
    return value;
  };

  it('are those of the package: Node, dependencies, what a start installs', () => {
    expect(`>=${figure(/^Node ([\d.]+) or newer/m)}`).toBe(about.engines.node);
    expect(about).not.toHaveProperty('dependencies');
    expect(Object.keys(about.optionalDependencies)).toEqual(['@duckdb/node-api', '@resvg/resvg-js']);
    expect(Object.keys(about.scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });

  it('of a first start add up, and so does the time at 20 Mbit/s', () => {
    const [whole, sql, pictures, rest, seconds] = [
      /first start fetches (\d+) MB/,
      /(\d+) MB are DuckDB/,
      /(\d+) MB draw pictures/,
      /leaves them out and fetches (\d+) MB/,
      /\((\d+) s at 20 Mbit\/s\)/,
    ].map((pattern) => Number(figure(pattern)));
    expect(whole).toBe((sql ?? 0) + (pictures ?? 0) + (rest ?? 0));
    expect(seconds).toBe(Math.round((8 * (whole ?? 0)) / 20));
    expect(textOf('CHANGELOG.md')).toContain(`A first \`npx\` fetches ${whole} MB, ${rest} MB without the optional parts`);
  });

  it('of the demo are those that it asks, and what comes before the release needs no package', () => {
    expect(readme).toContain(`says \`${questions.length} questions, `);
    const [unreleased = ''] = readme.split('## Once released');
    expect(unreleased).toContain('npm run demo');
    expect(unreleased).not.toContain('npx');
  });

  it('of the page on answers are those of README, whose dialogues are generated', () => {
    const page = textOf('docs/reading-answers.md');
    const quote = figure(/^> (.+)$/m, page);
    expect(quote.startsWith(figure(/drop\?\n\n(.+?) …/))).toBe(true);
    const [since, size, cost] = [...page.matchAll(/\*\*([^*]*\d[^*]*)\*\*/g)].map(([, words]) => words);
    for (const words of [since, size, cost]) expect(quote).toContain(words ?? 'three terms');
  });

  it('are as many questions as the page of answers has', () => {
    // Each is asked of two worlds.
    const numbers = new Set(textOf('docs/evidence/answers.md').match(/^\| \d+ \| /gm));
    expect(Number(figure(/shows what (\d+) questions are answered with/))).toBe(numbers.size);
  });

  it('start the same command in every host', () => {
    const config = Buffer.from(figure(/config=([\w=]+)/), 'base64').toString();
    expect(JSON.parse(config)).toEqual({ command: 'npx', args: ['-y', 'web-analytics-mcp', '--demo'] });
    const lines =
      readme.match(/^\| [^|]+ \| `[^`]+` \|$/gm)?.filter((line) => line.includes('web-analytics ') || line.includes('npx')) ?? [];
    expect(lines.length).toBeGreaterThanOrEqual(4);
    for (const line of lines) expect(line).toMatch(/npx.*(-y.*web-analytics-mcp|-y web-analytics-mcp).*--demo/);
    const shown = (text: string) => JSON.parse(figure(/```json\n([^]*?)```/, text)) as { mcpServers: Record<string, { env?: object }> };
    const { env = {}, ...server } = shown(textOf('docs/hosts.md')).mcpServers['web-analytics'] ?? {};
    const fromSource = { command: 'node', args: ['/path/to/web-analytics-mcp/dist/main.js'], env };
    expect(shown(readme).mcpServers['web-analytics']).toEqual(fromSource);
    const example = { ...server, args: ['-y', 'web-analytics-mcp', '--demo'] };
    expect(JSON.parse(textOf('docs/examples/mcp.json'))).toEqual({ mcpServers: { 'web-analytics': example } });
    expect(Object.keys(env).slice(0, 3)).toEqual(['WEB_ANALYTICS_AUTH_URL', 'WEB_ANALYTICS_CLIENT_ID', 'WEB_ANALYTICS_CLIENT_SECRET']);
    const three = ['WEB_ANALYTICS_AUTH_URL', 'WEB_ANALYTICS_CLIENT_ID', 'WEB_ANALYTICS_CLIENT_SECRET'];
    const own = textOf('docs/hosts.md').match(/^\| [^|]+ \| `(claude|code|codex|gemini) [^`]+` \|$/gm) ?? [];
    const complete = own.filter((line) => three.every((name) => line.includes(name)));
    expect(complete.map((line) => line.split(' | ')[0]?.slice(2))).toEqual(['Claude Code', 'VS Code', 'Codex', 'Gemini CLI']);
  });
});

it('the table of clients has all that `npm run clients` tries, in their versions', () => {
  const row = ({ name, version }: { name: string; version?: string }) => `| ${name} | ${version ?? ''}`;
  expect(CLIENTS.map(row).filter((begin) => !textOf('docs/hosts.md').includes(begin))).toEqual([]);
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
