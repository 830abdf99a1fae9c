import { expect, it } from 'vitest';
import { blockOf, failureOf } from '../../../src/views/overview/blocks.ts';
import { blockHtml } from '../../../src/views/overview/html.ts';
import { type OverviewPart, overviewParts } from '../../../src/views/overview/parts.ts';

function partOf(id: OverviewPart['id']): OverviewPart {
  const part = overviewParts.find((each) => each.id === id);
  if (!part) throw new Error(`there is no ${id}`);
  return part;
}

it('asks each tool for the same days', () => {
  const asked = { startDate: '2026-11-23', endDate: '2026-11-29', device: 'mobile' };
  expect(partOf('changes').args(asked)).toMatchObject({ startDate: '2026-11-23', endDate: '2026-11-29', devices: ['mobile'] });
  expect(partOf('course').args(asked)).toMatchObject({ startDate: '2026-11-23', endDate: '2026-11-29', devices: ['mobile'] });
  expect(partOf('speed').args(asked)).not.toHaveProperty('devices');
});

it('shows figures as a table, each with its unit and its own verdict in words', () => {
  const when = { shape: 'step', from: '2026-11-24', ongoing: true };
  const found = { subject: 'conversionRate', place: { device: 'mobile' }, verdict: 'lower', when };
  const block = blockOf(partOf('figures'), {
    answer: 'Mobile visits have been 30% lower since 24 Nov. It has cost about 900 EUR so far.',
    findings: [
      { ...found, sentence: 'Mobile visits have been 30% lower since 24 Nov; the others did not move.' },
      { subject: 'pageviewAverage', when: { shape: 'day', from: '2026-11-25', to: '2026-11-25' }, sentence: 'Pages.' },
    ],
    columns: ['metric', 'unit', 'before', 'after', 'changePercent', 'verdict', 'since'],
    rows: [
      // Of all devices, whatever one of them did.
      ['visits', 'sessions', 100, 80, -20, 'within noise', null],
      ['bounceRate', '%', 40, 60, 50, 'up', '2026-11-24'],
      ['pageviewAverage', 'pages', 4, 5, 25, 'up', '2026-11-25'],
      ['revenueSum', 'EUR a day', 1000.5, null, null, 'within noise'],
      ['sessionTimeAverage', 'time, unit not documented', 130, 131.25, 1, 'drift'],
    ],
  });
  expect(block.headline).toBe('Mobile visits have been 30% lower since 24 Nov.');
  expect(block.table?.rows).toEqual([
    ['Visits', '100', '80', '-20.0%', 'no significant change'],
    ['Bounce rate', '40%', '60%', '+50.0%', 'higher since 24 Nov'],
    ['Page views per visit', '4', '5', '+25.0%', 'higher on 25 Nov'],
    // What a change of one of its factors is a part of.
    ['Revenue (a day)', '1,001 EUR', '–', '–', 'the change since 24 Nov included'],
    ['Session time (unit not documented)', '130.0', '131.3', '+1.0%', 'slow trend'],
  ]);
});

it('says of two ranges behind a change that nothing more changed', () => {
  const when = { shape: 'step', from: '2026-11-24', ongoing: true };
  const verdictFrom = (start: string) =>
    blockOf(partOf('figures'), {
      answer: 'Visits have been 30% lower since 24 Nov.',
      findings: [{ subject: 'visits', when, sentence: 'Visits have been 30% lower since 24 Nov.' }],
      baseline: { start },
      columns: ['metric', 'unit', 'before', 'after', 'changePercent', 'verdict'],
      rows: [['visits', 'sessions', 100, 80, -20, 'within noise']],
    }).table?.rows[0]?.at(-1);
  expect(['2026-11-25T00:00Z', '2026-11-20T00:00Z'].map(verdictFrom)).toEqual([
    'no further change since 24 Nov',
    'the change since 24 Nov included',
  ]);
});

it('lists the changes that the answer does not tell', () => {
  const [first, second] = ['Visits have been 20% lower since 24 Nov.', 'Revenue was 30% higher on 20 Nov.'];
  const block = blockOf(partOf('changes'), {
    answer: `${first} There is 1 more change.`,
    findings: [{ sentence: first }, { sentence: second }],
  });
  expect([block.headline, block.lines]).toEqual([first, ['There is 1 more change.', second]]);
});

it('tells a scenario once: in the answer, or in its line', () => {
  const scenarios = [{ line: 'Checkout is slower since 13 Nov.' }, { line: 'Home is steady.' }];
  const linesOf = (answer: string) => blockOf(partOf('speed'), { answer, scenarios }).lines;
  expect(linesOf('Checkout is slower since 13 Nov; close in time: a release. One is steady.')).toEqual([
    'One is steady.',
    'Home is steady.',
  ]);
  expect(linesOf('None of 2 scenarios became slower.')).toEqual(scenarios.map(({ line }) => line));
});

it('counts by job the files that go soon and are not here', () => {
  const run = (jobRunId: number, name: string) => ({ jobRunId, name });
  const until = (jobRunId: number, isFetched: boolean) => ({ jobRunId, filesUntil: `2026-12-0${jobRunId}T10:00:00Z`, isFetched });
  const runs = [run(1, 'Daily'), run(2, 'Daily'), run(3, 'Hourly')];
  const block = blockOf(partOf('expiring'), { runs, filesUntil: [until(1, true), until(2, false), until(3, false)] });
  expect(block.headline).toBe('The files of 3 runs are deleted within the next two days: 1 fetched here.');
  expect(block.table?.rows).toEqual([
    ['Daily', '2', '1', '1 Dec 10:00 UTC'],
    ['Hourly', '1', '1', '3 Dec 10:00 UTC'],
  ]);
  expect(blockOf(partOf('expiring'), { runs: [] }).headline).toBe('No file of an export is deleted within the next two days.');
});

it('writes no markup of strangers', () => {
  const html = blockHtml(failureOf(partOf('speed'), '<img src=x onerror=alert(1)> & "more"'));
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;more&quot;');
});
