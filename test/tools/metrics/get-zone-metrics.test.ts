import { expect, it } from 'vitest';
import { only, useTools, WEEK, WIRE_WEEK, whole } from '../support.ts';

const { ask, call } = useTools({ credential: 'app' });

it('gives all metrics of a zone that its path names', async () => {
  const answer = await call('get_zone_metrics', { ...WEEK, zoneId: 'Home / Header / Search bar' });
  const { values } = await ask('getZoneMetrics', { ...WIRE_WEEK, zoneId: 8120447 }, 'app');
  expect(values).toHaveLength(8);
  expect(only(answer)).toMatchObject(Object.fromEntries(values.map(({ name, value }) => [name, value])));
  expect(only(answer)).not.toHaveProperty('avgConversionAfterTap');
  expect(whole(answer)).toMatchSnapshot();
});

it('says that a week may still change', async () => {
  const { structured } = await call('get_zone_metrics', { startDate: '-20d', endDate: 'yesterday', zoneId: 8120447 });
  expect(structured['notes']).toContainEqual(expect.stringContaining('The last 7 days may still change'));
  const old = await call('get_zone_metrics', { startDate: '-20d', endDate: '-10d', zoneId: 8120447 });
  expect(old.text).not.toContain('may still change');
});
