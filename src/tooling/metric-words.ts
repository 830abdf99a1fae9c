import { hint } from '../lib/hint.ts';
import { areAlike, nearestFirst } from '../lib/nearest.ts';
import { foldMetric, metricAliases, siteMetricDefinitions, zoneMetricDefinitions } from '../metrics/metric-definitions.ts';
import { metricStandIns, missingMetrics, standInWords, unanswerable } from '../metrics/unanswerable.ts';
import { isNearly, onlyOneOf } from '../names/match-name.ts';
import { missingSpeedMetrics, speedMetricAliases, speedMetricNames, speedStandIns } from '../speed/speed-metrics.ts';

/** `range`: metrics of site and zones over dates; `speed`: metrics of lab runs. */
export type MetricFamily = 'range' | 'speed';

interface Family {
  readonly names: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
  /** Questions that the interface cannot answer, with the closest alternative. */
  readonly missing: Readonly<Record<string, string>>;
  /** Of these the metrics that answer in their place. */
  readonly standIns: Readonly<Record<string, string>>;
  /** Says which metric answers in place of the one that was named. */
  readonly standInWords: (text: string, metric: string) => string;
  readonly subject: string;
  /** Tools that answer with these metrics. */
  readonly tools: string;
}

const families: Readonly<Record<MetricFamily, Family>> = {
  range: {
    names: [...Object.keys(siteMetricDefinitions), ...Object.keys(zoneMetricDefinitions)],
    aliases: metricAliases,
    missing: missingMetrics,
    standIns: metricStandIns,
    standInWords: (text, metric) => `metric "${text}" = ${metric}: ${standInWords[metricStandIns[foldMetric(text)] ?? 'conversionCount']}.`,
    subject: 'the site and its zones',
    tools: hint('query_metrics', 'query_metrics answers it', 'other tools answer it'),
  },
  speed: {
    names: speedMetricNames,
    aliases: speedMetricAliases,
    missing: missingSpeedMetrics,
    standIns: speedStandIns,
    standInWords: (text) =>
      `metric "${text}": ${missingSpeedMetrics[foldMetric(text)] ?? ''}, which answers here; limits of one are not limits of the other.`,
    subject: 'synthetic scenarios, not of visitors',
    tools: hint('analyze_scenario', 'analyze_scenario answers it', 'other tools answer it'),
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

/** The metric that answers in place of one that there is not, and the words for it; undefined where none does. */
export function standInFor(family: MetricFamily, text: string) {
  const { standIns, standInWords: wordsOf } = families[family];
  const folded = foldMetric(text);
  const metric = Object.hasOwn(standIns, folded) ? standIns[folded] : undefined;
  return metric === undefined ? undefined : { metric, words: wordsOf(text, metric) };
}

/** The nearest metric to a name that neither family has. */
function nearestWords(text: string, family: MetricFamily): string | undefined {
  const folded = foldMetric(text);
  const own = families[family];
  if (Object.hasOwn(own.missing, folded)) return own.missing[folded];
  const beside = family === 'range' ? 'speed' : 'range';
  const other = families[beside];
  const known = metricOf(beside, text);
  if (known !== undefined && known !== ALL) return `it is a metric of ${other.subject} (${known}); ${other.tools}`;
  if (Object.hasOwn(other.missing, folded)) return other.missing[folded];
  const asked = unanswerable.find((each) => {
    const [whole, stem] = [foldMetric(each.asked), folded.replace(/s$/, '')];
    return (whole.startsWith(stem) && folded.length > 3) || folded.includes(whole.replace(/s$/, ''));
  });
  return (
    asked &&
    (asked.ofExports ? `no metric has ${asked.asked}: ${asked.nearest}` : `this interface has no ${asked.asked}; nearest: ${asked.nearest}`)
  );
}

/** The only metric that a name means with few typing mistakes; undefined where several are as close, and for what is no metric here. */
export function closeMetricOf(family: MetricFamily, text: string): string | undefined {
  const { names, aliases } = families[family];
  if (nearestWords(text, family) !== undefined) return undefined;
  const known = [...names.map((name): [string, string] => [foldMetric(name), name]), ...Object.entries(aliases)];
  return onlyOneOf(known.flatMap(([word, metric]) => (isNearly(word, foldMetric(text)) ? [metric] : [])));
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

/** The same for names of which some may be custom timings, which only reports know: what is named like a metric is a mistyped one. */
export function surelyUnknownWords(texts: readonly string[]): string | undefined {
  const unknown = texts.filter((text) => {
    if (text.startsWith('custom:')) return false;
    return nearestWords(text, 'speed') !== undefined || speedMetricNames.some((name) => areAlike(name, text));
  });
  return unknownMetricWords('speed', unknown);
}
