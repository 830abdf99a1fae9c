import { describe, expect, it } from 'vitest';
import { hasChromium, sharedBrowser } from './browser.ts';
import { trend } from './samples.ts';

const range = { start: '2026-11-23T00:00:00.000Z', end: '2026-11-29T23:59:59.999Z', timeZone: 'UTC', days: 7 };
const result = (structuredContent: Record<string, unknown>) => ({
  content: [{ type: 'text' as const, text: 'an answer' }],
  structuredContent,
});
const changes = result({ answer: 'Revenue fell.', findings: [{ sentence: 'Visits have been lower since 24 Nov <b>.' }], range });

/** A first answer that is about some of the scenarios alone. */
const someScenarios = result({ answer: 'Only 2 of 6 scenarios looked at yet. None became slower.', scenarios: [], cursor: '2' });

const answers: Readonly<Record<string, ReturnType<typeof result>>> = {
  find_changes: changes,
  compare_metrics: result({
    answer: 'Visits fell from 100 to 80 (-20%).',
    columns: ['metric', 'unit', 'before', 'after', 'changePercent', 'verdict'],
    rows: [['visits', 'sessions', 100, 80, -20, 'down']],
  }),
  query_metrics: result({ columns: [], rows: [], chart: trend() }),
  analyze_scenario: result({ answer: 'Home became slower.', scenarios: [] }),
  find_export_gaps: { ...result({}), content: [{ type: 'text' as const, text: 'The scope data-export is missing.' }] },
  list_successful_export_runs: result({ runs: [] }),
};

describe.skipIf(!hasChromium)('the overview in a browser', () => {
  const browser = sharedBrowser('overview');

  it('shows the answer, asks for the other parts of the same days, and again for what is chosen', async () => {
    let scenarioCalls = 0;
    const takes = { inputSchema: { properties: { startDate: {}, endDate: {}, devices: {} } } };
    const shown = await browser().show({
      context: { theme: 'dark', toolInfo: { tool: { name: 'find_changes', ...takes } } },
      widthPx: 390,
      args: { days: 7 },
      answerCall: async ({ name }) => {
        scenarioCalls += Number(name === 'analyze_scenario');
        if (name === 'analyze_scenario' && scenarioCalls === 1) return someScenarios;
        const answer = answers[name] ?? result({});
        return name === 'find_export_gaps' ? { ...answer, isError: true } : answer;
      },
    });
    await shown.host('result', changes);
    await shown.view.locator('#expiring .headline').waitFor();
    expect(await shown.view.locator('h2').allTextContents()).toEqual([
      'What changed',
      'Key figures against the days before',
      'Day by day',
      'Speed',
      'Exports: days without data',
      'Exports: files that go soon',
    ]);
    expect(await shown.view.locator('#changes li').textContent()).toBe('Visits have been lower since 24 Nov <b>.');
    expect(await shown.view.locator('#gaps .failure').textContent()).toBe('The scope data-export is missing.');
    expect(await shown.view.locator('#speed .headline').allTextContents()).toEqual(['Home became slower.']);
    expect(await shown.view.locator('#course svg').count()).toBeGreaterThan(0);
    const { calls } = await shown.told();
    expect(calls.find(({ name }) => name === 'compare_metrics')?.arguments).toMatchObject({
      startDate: '2026-11-23',
      endDate: '2026-11-29',
    });
    await shown.view.locator('#device').selectOption({ label: 'mobile' });
    await expect.poll(async () => (await shown.told()).calls.filter(({ name }) => name === 'compare_metrics').length).toBe(2);
    const again = (await shown.told()).calls.findLast(({ name }) => name === 'compare_metrics');
    expect(again?.arguments).toMatchObject({ devices: ['mobile'] });
    expect(await shown.view.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
    expect(await shown.faults()).toEqual([]);
  });
});
