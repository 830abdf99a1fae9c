import { foldMetric, metricAliases, siteMetricDefinitions, zoneMetricDefinitions } from '../domain/metrics/metric-definitions.ts';
import { missingMetrics, unanswerable } from '../domain/metrics/unanswerable.ts';
import { missingSpeedMetrics, speedMetricAliases, speedMetricNames, speedStandIns } from '../domain/speed/speed-metrics.ts';
import { nearestFirst } from '../lib/nearest.ts';

/** `range`: metrics of site and zones over dates; `speed`: metrics of lab runs. */
export type MetricFamily = 'range' | 'speed';

interface Family {
  readonly names: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
  /** Questions that the interface cannot answer, with the closest alternative. */
  readonly missing: Readonly<Record<string, string>>;
  /** Of these the metrics that answer in their place. */
  readonly standIns: Readonly<Record<string, string>>;
  /** Tools that answer with these metrics. */
  readonly tools: string;
}

const families: Readonly<Record<MetricFamily, Family>> = {
  range: {
    names: [...Object.keys(siteMetricDefinitions), ...Object.keys(zoneMetricDefinitions)],
    aliases: metricAliases,
    missing: missingMetrics,
    standIns: {},
    tools: 'query_metrics answers it',
  },
  speed: {
    names: speedMetricNames,
    aliases: speedMetricAliases,
    missing: missingSpeedMetrics,
    standIns: speedStandIns,
    tools: 'analyze_scenario answers it',
  },
};

const ALL = 'all';

/** The name that the platform has for what a person calls a metric: case, spaces and underscores ignored; undefined where there is none. */
export function metricOf(family: MetricFamily, text: string): string | undefined {
  const { names, aliases } = families[family];
  const folded = foldMetric(text);
  if (folded === ALL) return ALL;
  return names.find((name) => foldMetric(name) === folded) ?? (Object.hasOwn(aliases, folded) ? aliases[folded] : undefined);
}

/** The metric that answers in place of one that there is not, and why; undefined where none does. */
export function standInFor(family: MetricFamily, text: string): { metric: string; why: string } | undefined {
  const { missing, standIns } = families[family];
  const folded = foldMetric(text);
  const metric = Object.hasOwn(standIns, folded) ? standIns[folded] : undefined;
  return metric === undefined ? undefined : { metric, why: missing[folded] ?? '' };
}

/** What is nearest to something that is in no metric of either family. */
function nearestWords(text: string, family: MetricFamily): string | undefined {
  const folded = foldMetric(text);
  const own = families[family];
  if (Object.hasOwn(own.missing, folded)) return own.missing[folded];
  const other = families[family === 'range' ? 'speed' : 'range'];
  const known = metricOf(family === 'range' ? 'speed' : 'range', text);
  if (known !== undefined && known !== ALL) return `it is a metric of another kind (${known}); ${other.tools}`;
  if (Object.hasOwn(other.missing, folded)) return other.missing[folded];
  const asked = unanswerable.find((each) => {
    const [whole, stem] = [foldMetric(each.asked), folded.replace(/s$/, '')];
    return (whole.startsWith(stem) && folded.length > 3) || folded.includes(whole.replace(/s$/, ''));
  });
  return asked && `this interface has no ${asked.asked}; nearest: ${asked.nearest}`;
}

/** Names the closest metrics for each unknown name; undefined where all are metrics. */
export function unknownMetricWords(family: MetricFamily, texts: readonly string[]): string | undefined {
  const { names } = families[family];
  const unknown = texts.filter((text) => text !== ALL && !names.includes(text));
  if (unknown.length === 0) return undefined;
  const words = unknown.map((text) => {
    const nearby = nearestWords(text, family);
    return nearby === undefined ? `no such metric: "${text}"` : `"${text}": ${nearby}`;
  });
  return `${words.join('; ')}; there are ${nearestFirst(unknown[0] ?? '', [ALL, ...names], (name) => name).join(', ')}`;
}
