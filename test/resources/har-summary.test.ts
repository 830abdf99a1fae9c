import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { SECRET_MARK } from '../../src/emulator/world/speed/planted-secrets.ts';
import { harReport } from '../../src/har/answer/har-report.ts';
import { readHar } from '../../src/har/read/read-har.ts';
import { studyHar } from '../../src/har/requests/study-har.ts';
import { loadEntities } from '../../src/har/requests/third-parties.ts';
import { RECORDED_FILES, readRecorded } from '../har/recorded-files.ts';
import { sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';

const platform = sharedPlatform();
const assistant = sharedAssistant(platform);

const entities = await loadEntities();
const reportOf = (har: unknown) => harReport(studyHar(readHar(har), entities));

/** In the order in which experts read. */
const SECTIONS = [
  'Look at first',
  'Document',
  'Render blocking',
  'Weight by type',
  'Third parties',
  'Protocols and connections',
  'Failed requests',
  'Largest',
  'Slowest',
  'Limits of this file',
];

const sections = (text: string) =>
  [...text.matchAll(/^## (.+?)(?: \(.+\))?$/gm)].map(([, heading]) => heading).filter((heading) => SECTIONS.includes(heading ?? ''));

/** A step result of a run before the latest one. */
async function olderStep(): Promise<string> {
  const token = await platform().token('shop');
  const { scenario } = await platform().ask('listScenarioReports', { scenarioId: 4101, limit: 9 }, token);
  return String(scenario.reports.at(-1)?.steps?.[0]?.stepResultId);
}

async function steps(scenarioId: number) {
  const { structured } = await assistant().call('get_scenario_report', { scenarioId });
  return (structured['steps'] as { stepResultId: string }[]).map(({ stepResultId }) => stepResultId);
}

const read = (stepResultId: string) => assistant().read(`analytics://1201/steps/${stepResultId}/har/summary`);

describe('the summary of a HAR', () => {
  it('tells what experts read, in their order, is short, and holds no secret, for every step of every scenario', {
    tags: 'nightly',
  }, async () => {
    for (const scenarioId of [4101, 4102, 4103, 4104, 4105, 4106]) {
      for (const step of await steps(scenarioId)) {
        const text = await read(step);
        expect(sections(text)).toEqual(SECTIONS);
        expect(encode(text).length).toBeLessThanOrEqual(1_500);
        expect(text).not.toContain(SECRET_MARK);
        expect(text).not.toMatch(/undefined|\[object|NaN|null/);
      }
    }
  });

  it('is refused in words for a step that is not there, and for what is no HAR', async () => {
    await expect(read('0000000000000000')).rejects.toThrow(/0000000000000000/);
    // No other test reads it: what was read before is kept.
    const step = await olderStep();
    platform().faults.add({ kind: 'shape', operation: 'getStepHar', payload: { har: '{"log":{"entries":[1,' } });
    await expect(read(step)).rejects.toThrow(/HAR/);
  });
});

it.each(RECORDED_FILES)('of recorded files %s fits 1,500 tokens in the same order', (name) => {
  const text = reportOf(readRecorded(name));
  expect(encode(text).length).toBeLessThanOrEqual(1_500);
  const found = sections(text);
  expect(found).toEqual(SECTIONS.filter((heading) => found.includes(heading)));
  expect(found.length).toBeGreaterThanOrEqual(SECTIONS.length - 1);
});

it('a poor file without anything is told as such', () => {
  const text = reportOf({ log: { entries: [] } });
  expect(text).toContain('# HAR without a document');
  expect(text).toContain('0 requests');
  expect(text).not.toMatch(/undefined|NaN|null/);
});

it('a poor file cannot write its own Markdown', () => {
  const request = { method: 'GET', url: 'https://a.example/`|**x**|`', headers: [], cookies: [], queryString: [] };
  const response = { status: 404, headers: [], cookies: [], content: { size: 5, mimeType: 'text/html' }, bodySize: 5, headersSize: -1 };
  const entry = { startedDateTime: '2026-11-20T10:00:00Z', time: 10, request, response, timings: { send: 0, wait: 10, receive: 0 } };
  const text = reportOf({ log: { entries: [entry] } });
  expect(text).not.toContain('|**x**|');
  expect(text.split('`').length % 2).toBe(1);
});
