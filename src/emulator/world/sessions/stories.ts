import { dayText } from '../../../lib/clock.ts';
import { app, content, projects, shop } from '../../credentials.ts';
import { hash, hundredths, type Origin, oneOf } from '../random.ts';
import { costsOf, harmlessOf } from './costs.ts';
import { holidaysOf } from './day-noise.ts';
import { countries } from './profiles.ts';
import { goalsOf, segmentsOf } from './segments-and-goals.ts';
import { dayNumberOf, RETENTION_DAYS } from './session-day.ts';
import { pageGroupsOf } from './structure.ts';

interface Named {
  readonly id: number;
  readonly name: string;
}

function named<T extends Named>(list: readonly T[], name: string): T {
  const found = list.find((item) => item.name === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}

/** The stories planted in the sessions relative to the clock at start; days are UTC dates, factors multiply a rate. */
export type MetricStories = ReturnType<typeof metricStories>;

/** The stories of this origin; device, day, size and segment differ from seed to seed. */
export function metricStories({ seed, startMs }: Origin) {
  const today = dayNumberOf(startMs);
  const draw = (n: number) => hash(seed, 0x5_70_71, n);

  const fall = hundredths(draw(1), 0.3, 0.45);
  const stressed = oneOf(['', 'Germany', 'Returning visitors', 'New visitors'], draw(2));
  const segment = stressed === '' ? null : named(segmentsOf(shop.id), stressed);
  const mixStart = today - 20 - (draw(5) % 26);
  const boost = named(segmentsOf(content.id), 'Reader boost campaign');
  const [screenName, zoneName] = oneOf<readonly [string, string]>(
    [
      ['Product screen', 'Add to cart'],
      ['Home', 'Search bar'],
      ['Home', 'Hero banner'],
      ['Product screen', 'Buy now'],
    ],
    draw(8),
  );
  const pageGroup = named(pageGroupsOf(app.id), screenName);
  const zoning = pageGroup.zonings.find(({ zones }) => zones.some(({ name }) => name === zoneName));
  if (!zoning) throw new Error(`there is no ${screenName} / ${zoneName}`);

  return {
    /** One or two troubles that keep visitors from buying, on all days. */
    costs: costsOf(seed),
    /** Troubles that go along with fewer or more sales and cause neither. */
    harmless: harmlessOf(),
    /** Days of this clock's year with far fewer or far more visits than their weekday and season promise, by project and day. */
    holidays: projects.flatMap(({ id }) =>
      holidaysOf({ seed, startMs }, id, today - RETENTION_DAYS, today).map(({ dayNumber, factor, projectId }) => ({
        projectId,
        day: dayText(dayNumber),
        factor: Math.round(factor * 100) / 100,
      })),
    ),
    /** From `startDay` on, to the present, fewer sessions of one device buy. */
    conversionFall: {
      projectId: shop.id,
      goal: asNamed(named(goalsOf(shop.id), 'Purchase')),
      device: oneOf(['mobile', 'desktop'] as const, draw(3)),
      startDay: dayText(today - 9 - (draw(4) % 8)),
      /** Of the chance to buy on that device, outside `segment`. */
      factor: fall,
      /** Where the fall is deeper; null: the same for all. */
      segment: segment && { ...asNamed(segment), factor: Math.round(fall * 75) / 100 },
    },
    /**
     * For seven days a campaign brings first visits on one device from one country: within each device and segment the rate of `goal`
     * stays.
     */
    mixCampaign: {
      projectId: content.id,
      goal: asNamed(named(goalsOf(content.id), 'Newsletter sign-up')),
      device: oneOf(['mobile', 'mobile', 'tablet'] as const, draw(6)),
      country: oneOf(countries.slice(4, 7), draw(7)).code,
      /** Holds the campaign's sessions and no others. */
      segment: asNamed(boost),
      startDay: dayText(mixStart),
      /** The last day of it. */
      endDay: dayText(mixStart + 6),
      /** Sessions that it brings for each usual one. */
      addedShare: hundredths(draw(9), 2.2, 3.2),
    },
    /** From `startDay` on, to the present, the share of sessions that tap a zone is another. */
    zoneTapChange: {
      projectId: app.id,
      pageGroup: asNamed(pageGroup),
      zoning: asNamed(zoning),
      zone: asNamed(named(zoning.zones, zoneName)),
      startDay: dayText(today - 12 - (draw(10) % 13)),
      factor: draw(11) % 2 === 0 ? hundredths(draw(12), 0.5, 0.66) : hundredths(draw(12), 1.5, 1.9),
    },
  };
}

function asNamed({ id, name }: Named): Named {
  return { id, name };
}
