import { describe, expect, it } from 'vitest';
import { report } from '../../src/commands/report/report.ts';
import { clockStartingAt } from '../../src/lib/clock.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { drawSvg } from '../../src/views/draw-svg.ts';
import type { ChartSpec } from '../../src/views/spec.ts';
import { captured } from '../commands/captured.ts';
import { START } from '../support/emulator.ts';
import { temporaryFolder } from '../support/folder.ts';
import { textOf } from '../support/sources.ts';
import { useTools } from '../tools/support.ts';
import { hasChromium, sharedBrowser, showAnswer } from './browser.ts';

const CHAT = `<style>
body { margin: 0; padding: 20px 24px; background: #eef1f5; color: #1d2430; font: 15px/1.5 "DejaVu Sans", sans-serif; }
h1 { width: fit-content; margin: 0 0 16px auto; padding: 8px 16px; border-radius: 16px; background: #d5e3f5; font: inherit; }
main { padding: 12px 18px; border-radius: 16px; background: #fff; }
small { color: #5c6675; }
p { margin: 4px 0 12px; }
svg { max-width: 100%; height: auto; }
</style>`;

/** What README shows: copies of these screenshots lie in docs/images. */
describe.skipIf(!hasChromium)('the stills', { tags: 'nightly', timeout: 300_000 }, () => {
  const { call, assistant } = useTools();
  const browser = sharedBrowser();

  /** Whether README shows what was drawn. */
  async function still(name: string, html: string): Promise<boolean> {
    const { page, screenshot } = await browser().show({});
    await page.setViewportSize({ width: 960, height: 780 });
    await page.setContent(html);
    await screenshot(name);
    return textOf('README.md').includes(`](docs/images/${name}.png)`);
  }

  it('are a conversation (a question, the first paragraph of its answer, its picture) and the same in a view', async () => {
    const [, question] = /> \*\*(.+)\*\*/.exec(textOf('README.md')) ?? [];
    const args = { metrics: ['conversionRate'], startDate: '-14d', endDate: 'yesterday' };
    const { structured } = await call('compare_metrics', { ...args, chart: true });
    const { answer, chart } = structured as { answer: string; chart: ChartSpec };
    const said = `<main><small>compare_metrics</small><p>${answer}</p>${drawSvg(chart).svg}</main>`;
    expect(await still('conversation', `${CHAT}<h1>${question}</h1>${said}`)).toBe(true);
    const { page, view, screenshot } = await showAnswer(browser(), assistant(), 'compare_metrics', args);
    await view.locator('#device').selectOption('mobile');
    await view.locator('svg text', { hasText: 'what each segment contributes' }).waitFor();
    await page.evaluate("document.querySelector('iframe').style.height = '640px'");
    await screenshot('view');
  });

  it('and the report of a week', async () => {
    const world = { seed: 1, clock: clockStartingAt(Date.parse(START)), faults: [] };
    const settings = readSettings({}, { demo: 'true' });
    const { out } = await captured(() => report(settings, world, { last: 'week', out: temporaryFolder() }));
    expect(await still('report', textOf(out.split('\n')[0] ?? ''))).toBe(true);
  });
});
