/** @module-tag nightly */
import { beforeAll, expect, it } from 'vitest';
import { fetchExports } from '../../support/many-calls.ts';
import { useTools } from '../support.ts';

const { call, assistant } = useTools();
beforeAll(() => fetchExports(assistant()));

it.each([
  ['analyze_funnel', { steps: ['/p/*', '/cart'] }, 'bars', /^The largest loss is after \/p\/\*: /],
  ['analyze_paths', { from: 'entry' }, 'flow', /./],
  ['analyze_retention', {}, 'grid', /^[\d.]+% of [\d,]+ new visitors come back the day after their first session$/],
  ['measure_impact', { conditions: [{ what: 'api_error' }] }, 'bars', /./],
])('%s draws its answer where that is asked for', async (tool, args, kind, title) => {
  const { structured, text } = await call(tool, { ...args, chart: true });
  const chart = { kind, title: expect.stringMatching(title), subtitle: expect.stringMatching(/^Nordlicht Shop, .*2026, UTC/) };
  expect(structured['chart']).toMatchObject(chart);
  expect(text).toContain(`${kind} chart: `);
});
