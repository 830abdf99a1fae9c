import { beforeAll, describe, expect, it } from 'vitest';
import { drawAnswer, renderText } from '../../src/tooling/results.ts';
import type { TrendSpec, WaterfallSpec } from '../../src/views/spec.ts';
import { ownAssistant, sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { freshBundle } from '../support/stdio.ts';
import { trend } from '../views/samples.ts';

const CHART = 'ui://web-analytics/chart';
const platform = sharedPlatform();
const assistant = sharedAssistant(platform, { timeZone: 'Europe/Paris' });
beforeAll(() => freshBundle().then(() => undefined));

async function call(args: Record<string, unknown>) {
  const { content, structuredContent, isError } = await assistant().client.callTool({ name: 'analyze_scenario', arguments: args });
  const images = content.flatMap((block) => (block.type === 'image' ? [block] : []));
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const structured = structuredContent as Record<string, unknown> & { chart?: TrendSpec };
  return { images, text, structured, isError };
}

it('a tool with a chart draws its answer where that is asked for, and changes nothing else', { tags: 'nightly' }, async () => {
  const { scenarioId } = platform().stories.slowTag;
  const [plain, drawn] = [await call({ scenarioId }), await call({ scenarioId, chart: true })];
  expect(plain.images).toEqual([]);
  expect(plain.structured).not.toHaveProperty('chart');
  const { chart, notes, ...rest } = drawn.structured;
  expect(rest).toEqual(Object.fromEntries(Object.entries(plain.structured).filter(([name]) => name !== 'notes')));
  expect(drawn.images).toMatchObject([{ mimeType: 'image/png' }]);
  const data = drawn.images[0]?.data ?? '';
  expect(Buffer.from(data, 'base64').toString('latin1', 1, 4)).toBe('PNG');
  expect(data.length).toBeLessThan(150_000);
  expect(drawn.text).toBe(renderText({ ...rest, notes }));
  expect(drawn.text).toContain('- Drawn as trend chart: LCP at "Product" in "Product page – mobile" has been 50% slower since 10 Nov, ');
  expect(chart?.kind).toBe('trend');
});

it('a tool with a chart draws each run where runs are few', { tags: 'nightly' }, async () => {
  const { scenarioId } = platform().stories.slowTag;
  const { chart } = (await call({ scenarioId, startDate: '2026-11-19', baselineStartDate: '2026-11-18', chart: true })).structured;
  const told = 'Nordlicht Shop, LCP of each run, ms, scenario Product page – mobile, 18 – 20 Nov 2026, Europe/Paris, shaded: the period';
  expect(chart?.subtitle).toBe(told);
  expect(chart?.times.every((time) => /^2026-11-(18|19|20)T\d\d:\d\d$/.test(time))).toBe(true);
  expect(chart?.series[0]).not.toHaveProperty('low');
});

describe('a waterfall', () => {
  async function har(args: Record<string, unknown> = {}, asked = assistant()) {
    const { scenarioId } = platform().stories.slowTag;
    const { structured } = await asked.call('get_scenario_report', { scenarioId });
    const [{ stepResultId: scenarioStepResultId }] = structured['steps'] as [{ stepResultId: string }];
    const { content, structuredContent } = await asked.client.callTool({
      name: 'analyze_har',
      arguments: { scenarioStepResultId, chart: true, ...args },
    });
    const { chart, ...answer } = structuredContent as { chart?: WaterfallSpec; totals: { requests: number } };
    return { chart, answer, images: content.filter(({ type }) => type === 'image') };
  }

  it('is drawn without the paints where the report cannot be read', { tags: 'nightly' }, async () => {
    platform().faults.add({ kind: 'shape', operation: 'getStepReport' });
    // Of its own, because what was read before is kept.
    const another = await ownAssistant(platform());
    expect((await har({}, another)).chart?.marks.map(({ name }) => name)).toEqual(['onLoad']);
  });
});

describe('the drawing of an answer', () => {
  const plain = (text: string) => text;

  it('hides what is secret in data and picture alike, and names the project in the picture, which leaves its answer', async () => {
    const redact = (text: string) => text.replace('s3cret', '***');
    const { chart } = await drawAnswer(() => trend({ title: 'with s3cret', subtitle: '1 – 2 Nov 2026' }), redact, 'Nordlicht Shop');
    expect(chart).toMatchObject({ title: 'with ***', subtitle: 'Nordlicht Shop, 1 – 2 Nov 2026' });
  });

  it('gives the data where drawing fails', async () => {
    const broken = trend({ series: [{ name: 'x' } as never] });
    expect(await drawAnswer(() => broken, plain, undefined)).toEqual({ chart: broken, note: 'No image: drawing failed.' });
  });

  it('says so where no tool made a chart', async () => {
    const nothing = 'No chart: there is no picture of this answer.';
    expect(await drawAnswer(undefined, plain, undefined)).toEqual({ note: nothing });
  });
});

it('the view of charts is one file that asks for no other, and carries an empty policy', async () => {
  const { resources } = await assistant().client.listResources();
  expect(resources.find(({ uri }) => uri === CHART)).toMatchObject({
    mimeType: 'text/html;profile=mcp-app',
    _meta: { ui: { prefersBorder: true } },
  });
  const { contents } = await assistant().client.readResource({ uri: CHART });
  const [content] = contents;
  const html = content && 'text' in content ? content.text : '';
  expect(content).toMatchObject({ uri: CHART, mimeType: 'text/html;profile=mcp-app' });
  expect(content?._meta).toMatchObject({ ui: { csp: { connectDomains: [], resourceDomains: [] } } });
  expect(html.slice(0, 15)).toBe('<!doctype html>');
  expect(html.match(/<link|<script [^>]*src|@import|new Function|\beval\(|\bfetch\(|XMLHttpRequest|importScripts/g)).toBeNull();
  expect(html.match(/<\/script/gi)).toHaveLength(1);
  expect(html.length).toBeLessThan(800_000);
});
