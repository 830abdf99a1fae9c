import { Temporal } from 'temporal-polyfill';
import { expect, it } from 'vitest';
import { isTimeZone } from '../../src/lib/time-zone.ts';

it.each(['UTC', 'Europe/Paris', 'europe/paris', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'EST'])(
  'isTimeZone knows %s',
  (zone) => {
    expect(isTimeZone(zone)).toBe(true);
  },
);

it.each(['', ' ', 'Paris', 'Europe/Atlantis', '+01:00', 'GMT+1', 'PST', 'local', 'UTC '])('isTimeZone refuses "%s"', (zone) => {
  expect(isTimeZone(zone)).toBe(false);
});

it('isTimeZone accepts only what dates can be resolved in', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
  const threeLetters = letters.flatMap((a) => letters.map((b) => `${a}${b}T`));
  const accepted = [...threeLetters, ...Intl.supportedValuesOf('timeZone')].filter(isTimeZone);
  expect(accepted.length).toBeGreaterThan(400);
  for (const zone of accepted) expect(() => Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone)).not.toThrow();
});
