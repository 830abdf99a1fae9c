import { describe, expect, it } from 'vitest';
import { foldMetric, metricAliases, siteMetricDefinitions, zoneMetricDefinitions } from '../../src/domain/metrics/metric-definitions.ts';
import { metricOf, standInFor } from '../../src/tooling/metric-words.ts';

const definitions = Object.entries<{ readonly aliases?: readonly string[] }>({ ...siteMetricDefinitions, ...zoneMetricDefinitions });

describe('the names of metrics', () => {
  it('are understood as they are declared, in any case, with spaces and underscores', () => {
    const lost = definitions.flatMap(([metric, { aliases = [] }]) =>
      aliases
        .flatMap((alias) => [alias, alias.toUpperCase(), alias.replaceAll(' ', '_')])
        .filter((name) => metricOf('range', name) !== metric),
    );
    expect(lost).toEqual([]);
    expect(Object.keys(metricAliases).filter((alias) => alias !== foldMetric(alias))).toEqual([]);
  });

  it('never hide another metric', () => {
    const names = new Map(definitions.map(([metric]) => [foldMetric(metric), metric]));
    const hidden = Object.entries(metricAliases).filter(([alias, metric]) => names.has(alias) && names.get(alias) !== metric);
    expect(hidden).toEqual([]);
    const all = definitions.flatMap(([, { aliases = [] }]) => aliases.map(foldMetric));
    expect(all.filter((alias, index) => all.indexOf(alias) < index)).toEqual([]);
  });
});

it('orders are answered by the sessions with a purchase, which is said', () => {
  for (const name of ['orders', 'Number of orders', 'transactions', 'purchases'])
    expect(standInFor('range', name)).toEqual({
      metric: 'conversionCount',
      words: expect.stringContaining(`metric "${name}" = conversionCount: sessions with a purchase, unless another goal is named; `),
    });
  expect(standInFor('range', 'items sold')).toBeUndefined();
  expect(standInFor('speed', 'orders')).toBeUndefined();
});
