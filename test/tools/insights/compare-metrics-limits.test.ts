import { describe, expect, it } from 'vitest';
import { sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';
import { truthOf } from '../../support/truth.ts';
import { records } from '../support.ts';

const platform = sharedPlatform();
const shop = sharedAssistant(platform, { credential: 'shop' });
const content = sharedAssistant(platform, { credential: 'content' });
const compare = (args: Record<string, unknown>, assistant = shop) => assistant().call('compare_metrics', args);
const WEEK = { startDate: '2026-11-09', endDate: '2026-11-15' };
const notes = ({ structured }: ToolAnswer) => (structured['notes'] as string[]).join('\n');

describe('what cannot be compared', () => {
  it('says that a goal is needed, and which there are', { tags: 'nightly' }, async () => {
    const answer = await compare({ ...WEEK, metrics: ['conversionRate'] }, content);
    expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining('95207 "Subscription"')]);
    const partly = await compare(WEEK, content);
    expect(records(partly).map(({ verdict }) => verdict)).toEqual(['not enough data', 'within noise', 'not enough data']);
    expect(partly.structured['answer']).toMatch(/^Visits /);
    expect(notes(partly)).toContain('No value for revenueSum: only e-commerce projects have one.');
  });

  it('says which side lies outside retention', { tags: 'nightly' }, async () => {
    const answer = await compare({ startDate: '2026-01', endDate: '2026-03', baseline: 'previous_year', explain: false });
    expect([answer.isError, answer.text]).toEqual([
      true,
      expect.stringMatching(/^The baseline \(2025-01-02.* cannot be read: .*out of bounds/),
    ]);
  });

  it('compares the days of which the baseline is kept where that is of another time, and says first which', async () => {
    const answer = await compare({
      startDate: '2026-10-14',
      endDate: '2026-11-10',
      baseline: 'previous_year',
      metrics: ['visits', 'conversionRate'],
      explain: false,
    });
    const before = truthOf(platform(), { from: '2025-10-21T00:00:00.000Z', to: '2025-11-11T23:59:59.999Z' });
    const after = truthOf(platform(), { from: '2026-10-20T00:00:00.000Z', to: '2026-11-10T23:59:59.999Z' });
    expect(records(answer)).toEqual([
      expect.objectContaining({ unit: 'sessions', before: before.visits, after: after.visits, change: after.visits - before.visits }),
      expect.objectContaining({
        before: expect.closeTo(before.conversionRate, 3),
        change: expect.closeTo(after.conversionRate - before.conversionRate, 3),
      }),
    ]);
    const days = 'Only the days from 20 Oct to 10 Nov can be compared: the platform keeps data since 21 Oct 2025.';
    expect(answer.structured['answer']).toMatch(new RegExp(`^${days}`));
    expect(answer.text).toContain('2026-10-20 … 2026-11-10');
    expect(answer.structured['baseline']).toMatchObject({ start: '2025-10-21T00:00:00.000Z', days: 22 });
  });

  it('uses what is kept of a baseline right before the period, for a day, and says how long it is', async () => {
    const answer = await compare({ startDate: '2026-05', endDate: 'yesterday', metrics: ['visits'], explain: false });
    const { days } = answer.structured['baseline'] as { days: number };
    expect(answer.structured['answer']).toMatch(
      new RegExp(`^The platform keeps data since 21 Oct 2025: the baseline is ${days} days long\\.`),
    );
    expect(records(answer)[0]).toMatchObject({ unit: 'sessions a day' });
  });

  it('says that a segment has no visits', { tags: 'nightly' }, async () => {
    const answer = await compare({ ...WEEK, segmentIds: ['Summer sale campaign'] });
    expect(notes(answer)).toContain('There are no visits in this selection on either side.');
    expect(records(answer).map(({ before, verdict }) => [before, verdict])).toEqual([
      [null, 'not enough data'],
      [0, 'not enough data'],
      [0, 'not enough data'],
    ]);
  });

  it('learns from the days that are kept where those before lie outside retention, and says since when', { tags: 'nightly' }, async () => {
    const answer = await compare({ startDate: '2025-12-01', endDate: '2025-12-07', metrics: ['conversionRate'], explain: false });
    expect(notes(answer)).toContain('The platform keeps data since 2025-10-21: the days from there on teach what is usual.');
    expect(records(answer)).toEqual([expect.objectContaining({ verdict: 'within noise' })]);
  });

  it('says of segments without by that each is compared with itself', { tags: 'nightly' }, async () => {
    const own = await compare({ ...WEEK, metrics: ['visits'], compareSegments: ['Germany', 'France'] });
    const note = 'compareSegments: each is compared with itself in the baseline; by: "segment" puts them side by side.';
    expect(notes(own)).toContain(note);
    const sides = await compare({ ...WEEK, metrics: ['visits'], compareSegments: ['Germany', 'France'], by: 'segment' });
    expect(notes(sides)).not.toContain(note);
  });

  it('refuses zones and ranges that overlap', async () => {
    expect((await compare({ ...WEEK, metrics: ['tapRate'] })).text).toContain('zoneIds: a zone is needed for tapRate');
    expect((await compare({ ...WEEK, baselineStartDate: '2026-11-08', baselineEndDate: '2026-11-10' })).text).toContain(
      'overlaps the period',
    );
  });
});
