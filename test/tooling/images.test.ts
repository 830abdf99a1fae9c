import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { listScenarios } from '../../src/api/operations/speed-analysis.ts';
import { renderText } from '../../src/tooling/render-text.ts';
import { drawAnswer } from '../../src/tooling/results.ts';
import { listTools, outputOf } from '../../src/tooling/schema.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';
import type { TrendSpec, WaterfallSpec } from '../../src/views/spec.ts';
import { openAssistant, sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { freshBundle } from '../support/stdio.ts';
import { trend, waterfall } from '../views/samples.ts';

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

describe('a tool with a chart', () => {
  it('draws its answer where that is asked for, and changes nothing else', { tags: 'nightly' }, async () => {
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
    expect(drawn.text).toMatch(/- Drawn as trend chart: Product page – mobile: LCP [\d.]+ s → [\d.]+ s on “Product” since 10 Nov\./);
    expect(chart?.kind).toBe('trend');
  });

  it('draws each run where runs are few', { tags: 'nightly' }, async () => {
    const { scenarioId } = platform().stories.slowTag;
    const { chart } = (await call({ scenarioId, startDate: '2026-11-19', baselineStartDate: '2026-11-18', chart: true })).structured;
    expect(chart?.subtitle).toBe('Nordlicht Shop, 18 – 20 Nov 2026, Europe/Paris: each run; shaded: the judged period');
    expect(chart?.times.every((time) => /^2026-11-(18|19|20)T\d\d:\d\d$/.test(time))).toBe(true);
    expect(chart?.series[0]).not.toHaveProperty('low');
  });

  it('says so where there is nothing to draw', async () => {
    const { scenarioId } = platform().stories.slowTag;
    const answer = await call({ scenarioId, startDate: '2026-11-20T09:59:00Z', baselineStartDate: '2026-11-20T09:58:00Z', chart: true });
    expect(answer.isError ?? false).toBe(false);
    expect(answer.images).toEqual([]);
    expect(answer.structured).not.toHaveProperty('chart');
    expect(answer.text).toContain('No chart: this answer holds nothing that can be drawn.');
  });

  it('names its view in both ways that hosts look for, and is the only one that takes the parameter', async () => {
    const { tools } = await assistant().client.listTools();
    const charted = tools.filter(({ inputSchema }) => 'chart' in (inputSchema.properties ?? {}));
    expect(charted.map(({ name }) => name)).toContain('analyze_scenario');
    const views = tools.map(({ name, _meta = {} }) => ({ name, ui: _meta['ui'], view: _meta['ui/resourceUri'] }));
    const isCharted = new Set(charted.map(({ name }) => name));
    const viewOf = (name: string) => (name === 'find_changes' ? 'ui://web-analytics/overview' : CHART);
    expect(views).toEqual(
      tools.map(({ name }) =>
        isCharted.has(name) || name === 'find_changes'
          ? { name, ui: { resourceUri: viewOf(name) }, view: viewOf(name) }
          : { name, ui: undefined, view: undefined },
      ),
    );
  });

  it('refuses the parameter where a tool has no chart', async () => {
    const answer = await assistant().call('list_scenarios', { chart: true });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain('chart');
  });

  it('is made by one word in its declaration', () => {
    const input = z.strictObject({});
    const output = z.object({});
    const words = { name: 'list_scenarios', title: 'A', description: 'B', searchHint: 'c' };
    const base = { ...words, annotations: READ, operation: listScenarios, input, output };
    const tool = defineTool({ ...base, charted: true, handler: async () => ({}) });
    const [listed] = listTools([{ name: 'a', title: 'A', description: 'A', tools: [tool] }]);
    expect(listed?.inputSchema).toMatchObject({ properties: { chart: { type: 'boolean' } } });
    expect(outputOf(tool).parse({ chart: { kind: 'bars', title: 'Visits' } })).toEqual({ chart: { kind: 'bars', title: 'Visits' } });
  });
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
    const another = await openAssistant(platform());
    onTestFinished(() => another.close());
    expect((await har({}, another)).chart?.marks.map(({ name }) => name)).toEqual(['onLoad']);
  });
});

describe('the drawing of an answer', () => {
  const how = { clean: <Spec>(spec: Spec) => spec, project: undefined };

  it('hides what is secret in data and picture alike', async () => {
    const seen: unknown[] = [];
    const { chart } = await drawAnswer(() => waterfall({ title: 'with s3cret' }), {
      project: undefined,
      clean: (spec) => {
        seen.push(spec);
        return { ...spec, title: 'with ***' } as typeof spec;
      },
    });
    expect(seen).toHaveLength(1);
    expect(chart).toMatchObject({ title: 'with ***' });
  });

  it('names the project in the picture, which leaves its answer', { tags: 'nightly' }, async () => {
    const { chart } = await drawAnswer(() => trend({ subtitle: '1 – 2 Nov 2026' }), { ...how, project: 'Nordlicht Shop' });
    expect(chart).toMatchObject({ subtitle: 'Nordlicht Shop, 1 – 2 Nov 2026' });
  });

  it('gives the data where drawing fails', async () => {
    const broken = trend({ series: [{ name: 'x' } as never] });
    const drawn = await drawAnswer(() => broken, how);
    expect(drawn.chart).toBe(broken);
    expect(drawn.image).toBeUndefined();
    expect(drawn.note).toBe('No image: drawing failed.');
  });

  it('says so where no tool made a chart', async () => {
    expect(await drawAnswer(undefined, how)).toEqual({ note: 'No chart: this answer holds nothing that can be drawn.' });
  });
});

describe('the view of charts', () => {
  it('is one file that asks for no other, and carries an empty policy', async () => {
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

  it('is told to hosts by its extension', () => {
    expect(assistant().client.getServerCapabilities()).toMatchObject({ extensions: { 'io.modelcontextprotocol/ui': {} } });
  });
});
