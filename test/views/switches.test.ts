import { describe, expect, it } from 'vitest';
import { sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { hasChromium, type ShownView, sharedBrowser, showAnswer } from './browser.ts';

const platform = sharedPlatform();
const assistant = sharedAssistant(platform, { credential: 'shop' });

/** A call of a tool stands between choice and picture. */
const SLOWLY = { timeout: 10_000 };

describe.skipIf(!hasChromium)('the switches of the view', () => {
  const browser = sharedBrowser();

  const shown = (name: string, args: Record<string, unknown>) => showAnswer(browser(), assistant(), name, args);
  const options = ({ view }: ShownView, id: string) => view.locator(`#${id} option`).allTextContents();
  const words = ({ view }: ShownView) => view.locator('.chart').first().getAttribute('aria-label');
  const title = ({ view }: ShownView, text: string) => view.locator('svg text', { hasText: text }).first().waitFor();

  it('ask the tool for another period, through the host, and draw what it answers', { tags: 'nightly' }, async () => {
    const args = { metrics: ['visits'], startDate: '2026-11-09', endDate: '2026-11-15', breakdown: ['day'] };
    const view = await shown('query_metrics', args);
    expect(await options(view, 'period')).toEqual([
      'As asked',
      'Last 7 days',
      'Last 28 days',
      'Last 90 days',
      'Last week',
      'Last month',
      'This month',
    ]);
    await view.view.locator('#period').selectOption('Last month');
    await expect.poll(() => words(view), SLOWLY).toContain('from 2026-10-01 to 2026-10-31');
    await view.view.locator('#device').selectOption('mobile');
    await title(view, 'sessions, device mobile');
    await view.host('context', { theme: 'dark' });
    const colours = () => view.view.evaluate("getComputedStyle(document.getElementById('period')).backgroundColor");
    await expect.poll(colours, SLOWLY).toBe('rgb(21, 24, 29)');
    await view.view.locator('#period').selectOption({ index: 0 });
    await expect.poll(() => words(view), SLOWLY).toContain('from 2026-11-09 to 2026-11-15');
    const { calls, told } = await view.told();
    const month = { startDate: 'last_month', endDate: 'last_month' };
    expect(calls).toEqual([
      { name: 'query_metrics', arguments: { ...args, ...month, chart: true } },
      { name: 'query_metrics', arguments: { ...args, ...month, devices: ['mobile'], chart: true } },
      { name: 'query_metrics', arguments: { ...args, devices: ['mobile'], chart: true } },
    ]);
    expect(told[2]).toContain('"startDate":"2026-11-09"');
    expect(await view.faults()).toEqual([]);
  });

  it('compare another period with the days before it: a named baseline goes with the period that was asked for', {
    tags: 'nightly',
  }, async () => {
    const args = { metrics: ['conversionRate'], startDate: '2026-11-09', endDate: '2026-11-15', baselineStartDate: '2026-10-05' };
    const view = await shown('compare_metrics', args);
    await title(view, 'what each device contributes');
    await view.view.locator('#device').selectOption('mobile');
    await title(view, 'what each segment contributes');
    await view.view.locator('#period').selectOption('Last 28 days');
    await expect.poll(() => words(view), SLOWLY).toContain('from 2026-09-25 to 2026-11-19');
    const { calls } = await view.told();
    expect(calls.at(-1)?.arguments).toEqual({
      metrics: ['conversionRate'],
      startDate: '-28d',
      endDate: 'yesterday',
      devices: ['mobile'],
      chart: true,
    });
    expect(await view.faults()).toEqual([]);
  });

  it('keep the picture and say why where an answer has none', async () => {
    const view = await shown('compare_metrics', {
      metrics: ['visits'],
      startDate: '2026-11-09',
      endDate: '2026-11-15',
      devices: ['desktop', 'mobile'],
    });
    expect(await options(view, 'device')).toEqual(['As asked: desktop, mobile', 'All devices', 'desktop', 'mobile', 'tablet']);
    const before = await words(view);
    platform().faults.add({ kind: 'refused' });
    // Another range than the one that was just read, which is kept.
    await view.view.locator('#period').selectOption('Last month');
    await expect.poll(() => view.view.locator('#words').textContent(), SLOWLY).not.toMatch(/^$|Drawing/);
    expect(await words(view)).toBe(before);
    expect(await view.view.locator('#charts').getAttribute('aria-busy')).toBeNull();
  });

  it('are not offered where they would ask another question, nor where the tool has no such parameters', { tags: 'nightly' }, async () => {
    const sides = await shown('compare_metrics', { metrics: ['visits'], startDate: 'last_week', endDate: 'last_week', by: 'device' });
    expect(await sides.view.locator('#device').isVisible()).toBe(false);
    expect(await sides.view.locator('#period').isVisible()).toBe(true);
    const { structured } = await assistant().call('get_scenario_report', { scenarioId: 4101 });
    const [step] = structured['steps'] as { stepResultId: string }[];
    const har = await shown('analyze_har', { scenarioStepResultId: step?.stepResultId });
    expect(await har.view.locator('#switches').isVisible()).toBe(false);
  });
});
