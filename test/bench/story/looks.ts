import { overviewParts } from '../../../src/views/overview/parts.ts';
import { dayPlus, METRIC_OF, type Place, type Planted } from './planted.ts';

/** One way of asking. Days as 2026-09-04, both included. */
export interface Look {
  readonly name: string;
  readonly tool: 'compare_metrics' | 'find_changes' | 'query_metrics';
  readonly args: Readonly<Record<string, unknown>>;
  readonly from: string;
  readonly to: string;
  /** What the question narrows to. */
  readonly place: Place;
  /** The looks that this one adds something to: what these find, it has to find too. */
  readonly adds?: readonly string[];
  /** It puts places of one range side by side and looks for no change. */
  readonly isOfLevels?: true;
  /** Whether it is asked in a turn, where looks that cost much take turns; always where it is left out. */
  readonly isIn?: (turn: number) => boolean;
}

const WEEK = 7;
const INCLUDES = [['site'], ['site', 'zones'], ['site', 'speed'], ['site', 'zones', 'speed']] as const;

/** Ranges that people name, as the tools are asked for them, with their days. */
function rangesOf(today: string) {
  const yesterday = dayPlus(today, -1);
  const monday = dayPlus(today, -((new Date(today).getUTCDay() + 6) % WEEK));
  const lastDays = (days: number) => ({
    name: `${days} days`,
    ask: { startDate: `-${days}d`, endDate: 'yesterday' },
    from: dayPlus(today, -days),
    to: yesterday,
  });
  return [
    { name: 'yesterday', ask: { startDate: 'yesterday', endDate: 'yesterday' }, from: yesterday, to: yesterday },
    { name: 'this week', ask: { startDate: 'this_week', endDate: 'yesterday' }, from: monday, to: yesterday },
    {
      name: 'last week',
      ask: { startDate: 'last_week', endDate: 'last_week' },
      from: dayPlus(monday, -WEEK),
      to: dayPlus(monday, -1),
    },
    ...[14, 28, 90].map(lastDays),
  ];
}

function comparisons({ on, place }: Planted, today: string): Look[] {
  const tool = 'compare_metrics';
  const looks = rangesOf(today).flatMap(({ name, ask, from, to }, at): Look[] => {
    const own = { tool, from, to, place: {} } as const;
    const isIn = (variant: number) => (turn: number) => (turn + at + variant) % 3 === 0;
    const isPaired = name === '14 days' ? {} : undefined;
    return [
      { ...own, name: `compare, ${name}, one metric`, args: { ...ask, metrics: [METRIC_OF[on]] }, isIn: isIn(0) },
      { ...own, name: `compare, ${name}, default`, args: ask, ...(isPaired ?? { isIn: isIn(1) }) },
      {
        ...own,
        ...(isPaired ?? { isIn: isIn(2) }),
        name: `compare, ${name}, all metrics`,
        args: { ...ask, metrics: ['all'] },
        adds: [`compare, ${name}, default`, `compare, ${name}, one metric`],
      },
    ];
  });
  const base = { tool, from: dayPlus(today, -14), to: dayPlus(today, -1), place: {} } as const;
  const ask = { startDate: '-14d', endDate: 'yesterday' };
  const { device, segment } = place;
  return [
    ...looks,
    { ...base, name: 'compare, 14 days, by device', args: { ...ask, by: 'device' }, isOfLevels: true },
    { ...base, name: 'compare, 14 days, by segment', args: { ...ask, by: 'segment' }, isOfLevels: true },
    // Of a change of all devices, the largest one shows it too.
    ...(segment === undefined
      ? [
          {
            ...base,
            name: 'compare, 14 days, of the device',
            args: { ...ask, devices: [device ?? 'mobile'] },
            place: { device: device ?? 'mobile' },
            ...(device !== undefined && { adds: ['compare, 14 days, default'] }),
          },
        ]
      : []),
  ];
}

function searches(today: string): Look[] {
  const to = dayPlus(today, -1);
  const lookFor = (days: number) =>
    INCLUDES.map((include, at): Look => {
      const isIn = (turn: number) => turn % 2 === (days === 28 ? 0 : 1) && (at === 0 || Math.floor(turn / 2) % 3 === at - 1);
      const name = `find, ${days} days, ${include.join(' + ')}`;
      const adds = include.length > 1 && { adds: [`find, ${days} days, site`] };
      return { name, tool: 'find_changes', args: { days, include }, from: dayPlus(today, -days), to, place: {}, isIn, ...adds };
    });
  return [...lookFor(28), ...lookFor(60)];
}

function expectations({ on }: Planted, today: string): Look[] {
  const to = dayPlus(today, -1);
  const monday = dayPlus(to, -((new Date(to).getUTCDay() + 6) % WEEK));
  const look = (name: string, from: string, breakdown: readonly string[]): Look => ({
    name: `expected, ${name}`,
    tool: 'query_metrics',
    args: { metrics: [METRIC_OF[on]], startDate: from, endDate: to, breakdown, expected: true },
    from,
    to,
    place: {},
  });
  return [
    look('by day', dayPlus(today, -28), ['day']),
    { ...look('by week', dayPlus(monday, -7 * WEEK), ['week']), isIn: (turn) => turn % 2 === 0 },
    { ...look('by day and segment', dayPlus(today, -28), ['day', 'segment']), isIn: (turn) => turn % 2 === 1 },
  ];
}

/** The calls of the report of last week that tell of changes. */
function reportParts(today: string): Look[] {
  const week = rangesOf(today).find(({ name }) => name === 'last week');
  if (!week) return [];
  const { from, to } = week;
  return overviewParts
    .flatMap(({ tool, args }) => (tool === 'find_changes' || tool === 'compare_metrics' ? [{ tool, args }] : []))
    .map(
      ({ tool, args }): Look => ({
        name: `report, ${tool === 'find_changes' ? 'what changed' : 'key figures'}`,
        tool,
        args: args({ startDate: from, endDate: to }),
        from,
        to,
        place: {},
        // Its figures are those of the comparison of last week with all metrics.
        isIn: (turn) => tool === 'find_changes' || (turn + 2) % 3 === 0,
      }),
    );
}

/** Every way of asking on a day that looks at days of the change; with a turn, those of which it is the turn. */
export function looksOn(planted: Planted, today: string, turn: number | undefined): readonly Look[] {
  const all = [...comparisons(planted, today), ...searches(today), ...expectations(planted, today), ...reportParts(today)];
  const isAsked = ({ isIn = () => true }: Look) => turn === undefined || isIn(turn);
  return all.filter((look) => isAsked(look) && look.from <= look.to && look.from <= (planted.to ?? today) && look.to >= planted.from);
}
