import { describe, expect, it } from 'vitest';
import type { ChartSpec } from '../../src/views/spec.ts';
import { hasChromium, type ShownView, type ShowOptions, sharedBrowser } from './browser.ts';
import { bars, longWaterfall, panels, trend, waterfall } from './samples.ts';

const answer = (chart?: ChartSpec) => ({
  content: [{ type: 'text' as const, text: 'an answer' }],
  structuredContent: { totals: 1, ...(chart && { chart }) },
});

describe.skipIf(!hasChromium)('the chart view in a browser', () => {
  const browser = sharedBrowser();

  async function shown(chart: ChartSpec | undefined, options: ShowOptions = {}): Promise<ShownView> {
    const opened = await browser().show(options);
    await opened.host('result', answer(chart));
    return opened;
  }
  const texts = async ({ view }: ShownView) => (await view.locator('svg text').allTextContents()).toSorted();
  const drawn = ({ view }: ShownView, text: string) => view.locator('svg text', { hasText: text }).first().waitFor();

  it('draws a waterfall from the result of a tool, in the light of the host and in the dark, with the colours that it gives', {
    tags: 'nightly',
  }, async () => {
    const view = await shown(waterfall());
    await drawn(view, '404 cdn.tracker.example/tag.js');
    const title = view.view.locator('svg text', { hasText: 'Shop: product page' });
    const light = await title.getAttribute('fill');
    await view.host('context', { theme: 'dark', styles: { variables: { '--color-text-primary': '#ffeecc' } } });
    await expect.poll(() => title.getAttribute('fill')).not.toBe(light);
    expect(await title.getAttribute('fill')).toMatch(/#ffeecc|rgb\(255,\s*238,\s*204\)/);
    const background = await view.view.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe('rgb(21, 24, 29)');
    expect(await view.faults()).toEqual([]);
  });

  it('shows the phases of the request under the pointer', { tags: 'nightly' }, async () => {
    const view = await shown(waterfall());
    await drawn(view, '/assets/app.js');
    const box = await view.view.locator('svg text', { hasText: '610 ms' }).boundingBox();
    await view.page.mouse.move((box?.x ?? 0) - 40, (box?.y ?? 0) + 4);
    const tooltip = view.view.locator('.tooltip');
    await tooltip.waitFor();
    expect(await tooltip.locator('b').allTextContents()).toEqual(['/assets/app.js']);
    expect(await tooltip.locator('div').allTextContents()).toContain('receive473 ms');
  });

  it('is zoomed by the wheel with control, and back by a double click', { tags: 'nightly' }, async () => {
    const view = await shown(trend());
    await drawn(view, 'Product slower since 12 Nov');
    const before = await texts(view);
    await view.page.mouse.move(500, 260);
    await view.page.keyboard.down('Control');
    for (let turn = 0; turn < 4; turn++) await view.page.mouse.wheel(0, -240);
    await view.page.keyboard.up('Control');
    await expect.poll(() => texts(view)).not.toEqual(before);
    await view.page.mouse.dblclick(500, 260);
    await expect.poll(() => texts(view)).toEqual(before);
  });

  it('scrolls through more requests than the host has room for', { tags: 'nightly' }, async () => {
    const view = await shown(longWaterfall(), { context: { theme: 'dark', containerDimensions: { height: 400, width: 900 } } });
    await drawn(view, '/assets/part-60.js');
    expect((await view.view.locator('#view').boundingBox())?.height).toBe(400);
    const last = view.view.locator('svg text', { hasText: '/assets/part-60.js' });
    expect((await last.boundingBox())?.y).toBeGreaterThan(400);
    await view.page.mouse.move(500, 200);
    await view.page.mouse.wheel(0, 2_000);
    await expect.poll(async () => (await last.boundingBox())?.y).toBeLessThan(400);
  });

  it('takes hostile texts for texts', { tags: 'nightly' }, async () => {
    const hostile = '</script><img src=x onerror="globalThis.pwned=1"><svg onload=globalThis.pwned=1>{a|b}';
    const view = await shown(
      waterfall({
        title: hostile,
        subtitle: hostile,
        rows: [[hostile, 200, 1, 0, 900, 1, 1, 1, 1, 1, 1, 800]],
        marks: [{ name: hostile, atMs: 300 }],
      }),
    );
    await drawn(view, '</script>');
    const box = await view.view.locator('svg text', { hasText: '900 ms · 1 B' }).boundingBox();
    await view.page.mouse.move((box?.x ?? 0) - 60, (box?.y ?? 0) + 4);
    await view.view.locator('.tooltip').waitFor();
    expect(await view.view.locator('.tooltip b').textContent()).toContain('<img src=x');
    expect(await view.view.locator('img').count()).toBe(0);
    expect(await view.view.evaluate('globalThis.pwned')).toBeUndefined();
    expect(await view.faults()).toEqual([]);
  });

  it('fits itself to a new width and tells the host its size', { tags: 'nightly' }, async () => {
    const view = await shown(trend(), { context: { theme: 'dark' } });
    await drawn(view, 'New banner');
    await view.host('resize', 480);
    await expect.poll(() => view.view.locator('svg').getAttribute('width')).toBe('480');
    await expect.poll(async () => (await view.told()).sizes.at(-1)).toMatchObject({ width: 480, height: 420 });
  });

  it('offers to fetch the chart where the assistant asked for none', { tags: 'nightly' }, async () => {
    const args = { scenarioId: 7 };
    const context = { theme: 'light', toolInfo: { tool: { name: 'analyze_scenario', inputSchema: { type: 'object' } } } };
    const view = await shown(undefined, { args, context, answerCall: async () => answer(trend()) });
    await view.view.getByRole('button', { name: 'Show the chart' }).click();
    await drawn(view, 'New banner');
    expect((await view.told()).calls).toEqual([{ name: 'analyze_scenario', arguments: { scenarioId: 7, chart: true } }]);
    expect(await view.faults()).toEqual([]);
  });

  it('draws several pictures below each other, and fewer afterwards', { tags: 'nightly' }, async () => {
    const view = await shown(panels());
    await drawn(view, 'traffic mix');
    const boxes = await Promise.all((await view.view.locator('.chart').all()).map((each) => each.boundingBox()));
    expect(boxes.map((box) => box?.y)).toEqual([0, 420]);
    await view.host('result', answer(bars()));
    await drawn(view, 'Germany');
    expect(await view.view.locator('.chart').count()).toBe(1);
    expect(await view.faults()).toEqual([]);
  });

  it('offers nothing where the host passes no calls on', async () => {
    const view = await shown(undefined);
    await view.view.getByText('This answer came without a chart.').waitFor();
    expect(await view.view.getByRole('button').count()).toBe(0);
  });
});
