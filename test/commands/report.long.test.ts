import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { report } from '../../src/commands/report/report.ts';
import { clockStartingAt } from '../../src/lib/clock.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { temporaryFolder } from '../support/folder.ts';
import { captured } from './captured.ts';

const NOW_MS = Date.parse('2026-11-26T10:50:00Z');

it('a report is one page that needs no network, with every part and one cost of a change, and the same in Markdown', {
  tags: 'nightly',
  timeout: 300_000,
}, async () => {
  const folder = temporaryFolder();
  const settings = readSettings({}, { demo: 'true' });
  const world = { seed: 90_417, clock: clockStartingAt(NOW_MS), faults: [] };
  const { out: output } = await captured(() => report(settings, world, { last: 'week', out: folder }));
  const files = ['html', 'md'].map((ending) => join(folder, `report-2026-11-16-to-2026-11-22.${ending}`));
  expect(output).toBe(`${files.join('\n')}\n`);
  const [html = '', markdown = ''] = files.map((file) => readFileSync(file, 'utf8'));
  for (const title of ['What changed', 'Key figures against the days before', 'Day by day', 'Speed', 'Exports: days without data']) {
    expect(html).toContain(`<h2>${title}</h2>`);
    expect(markdown).toContain(`## ${title}`);
  }
  // Nothing is loaded: no script, no picture or style of another address.
  expect(html).not.toMatch(/<script|<link|src=|url\(\s*["']?http/i);
  expect(html.match(/<div class="(light|dark) (wide|narrow)">/g)?.length).toBeGreaterThanOrEqual(8);
  expect(html).not.toContain('class="failure"');
  const [, changed = '', figures = ''] = markdown.split(/^## /m);
  const costIn = (text: string) => /It (?:has )?cost about ([\d,]+) EUR/.exec(text)?.[1];
  // The figures are priced up to yesterday, the list up to the end of its days: the same change, first day and size.
  const sizeIn = (text: string) => /has been (\d+)% lower since (\d+ \w+)/.exec(text)?.slice(1);
  expect([changed, figures].map(costIn)).not.toContain(undefined);
  expect(sizeIn(changed)?.[1]).toBe(sizeIn(figures)?.[1]);
});
