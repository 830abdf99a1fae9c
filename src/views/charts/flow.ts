import type { BarsSpec, FlowSpec } from '../spec.ts';
import { drawBars } from './bars.ts';
import { CHARACTER_PX, commonOption, type Drawing, headPx, isNarrow, type Look } from './look.ts';
import { formatValue, plainText } from './values.ts';

/** Room for a page and its label. */
const NODE_PX = 32;
const LABEL_PX = 190;

/** The columns below each other as bars, for a picture too narrow for bands. */
function columnsOf({ title, subtitle, nodes }: FlowSpec): BarsSpec {
  const rows = nodes.toSorted((a, b) => a.side - b.side || b.count - a.count);
  const values = rows.map(({ count }) => count);
  return {
    kind: 'bars',
    title,
    ...(subtitle !== undefined && { subtitle }),
    unit: 'none',
    labels: rows.map(({ label, side }) => `${side + 1}. ${label}`),
    series: [{ name: 'sessions', values }],
  };
}

/** Pages in columns and bands between them as broad as the sessions that went from one to the other. */
export function drawFlow(spec: FlowSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip } = look;
  if (isNarrow(widthPx)) return drawBars(columnsOf(spec), look);
  const { nodes, links } = spec;
  const sides = 1 + Math.max(0, ...nodes.map(({ side }) => side));
  const most = Math.max(1, ...Array.from({ length: sides }, (_, side) => nodes.filter((node) => node.side === side).length));
  const top = headPx(look, spec) + 4;
  const heightPx = top + NODE_PX * (most + 1) + 20;
  const characters = Math.max(12, Math.floor(Math.min(LABEL_PX, (widthPx - 40) / (sides + 1)) / CHARACTER_PX));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const words = (id: string, limit: number) => {
    const node = byId.get(id);
    return node ? `${plainText(node.label, limit)} ${formatValue(node.count, 'none')}` : '';
  };
  const colourOf = (side: number) => theme.series[side % theme.series.length] ?? theme.text;
  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    series: [
      {
        type: 'sankey',
        left: 16,
        right: Math.min(LABEL_PX, widthPx / 4),
        top,
        bottom: 20,
        nodeWidth: 10,
        nodeGap: 15,
        nodeAlign: 'left',
        layoutIterations: 24,
        draggable: false,
        emphasis: { disabled: !tooltip, focus: 'adjacency' },
        label: { color: theme.text, fontSize: 11, position: 'right', formatter: ({ name }: { name: string }) => words(name, characters) },
        lineStyle: { color: 'source', opacity: 0.28, curveness: 0.5 },
        data: nodes.map(({ id, side }) => ({ name: id, depth: side, itemStyle: { color: colourOf(side), borderWidth: 0 } })),
        links: links.map(({ from, to, count }) => ({ source: from, target: to, value: count })),
      },
    ],
    ...(tooltip && {
      tooltip: {
        trigger: 'item',
        confine: true,
        backgroundColor: theme.tooltip,
        borderColor: theme.line,
        textStyle: { color: theme.text, fontSize: 12 },
        formatter: ({ data, name }: { data: { source?: string; target?: string; value?: number }; name: string }) =>
          data.source === undefined || data.target === undefined
            ? tooltip([{ name: words(name, 80) }])
            : tooltip([
                { name: `${byId.get(data.source)?.label ?? ''} → ${byId.get(data.target)?.label ?? ''}` },
                { name: 'sessions', value: formatValue(data.value ?? null, 'none') },
              ]),
      },
    }),
  };
  const largest = links.toSorted((a, b) => b.count - a.count).slice(0, 8);
  const told = largest.map(
    ({ from, to, count }) => `${byId.get(from)?.label ?? ''} → ${byId.get(to)?.label ?? ''} ${formatValue(count, 'none')}`,
  );
  return { option, heightPx, words: `${plainText(spec.title)}: ${told.join('; ')}.` };
}
