import { expect, it } from 'vitest';
import { localTimes } from '../../../../src/domain/speed/engine/local-time.ts';
import { HOUR_MS } from './runs.ts';

it('local time follows the zone through a change of its clock', () => {
  const instants = Array.from({ length: 60 * 24 }, (_, index) => Date.parse('2026-03-01T00:30:00Z') + index * HOUR_MS);
  const { hour, weekday } = localTimes(instants, 'Europe/Madrid');
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Madrid', hour: '2-digit', hourCycle: 'h23', weekday: 'short' });
  const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const seen = instants.map((_, index) => `${names[weekday[index] ?? 0]} ${String(hour[index]).padStart(2, '0')}`);
  expect(seen).toEqual(instants.map((ms) => format.format(ms).replace(',', '')));
});
