/** Light or dark, as the host shows its own pages. */
export type ThemeName = 'light' | 'dark';

/** Phases of a request in the order in which they happen; `unsplit` is a duration whose phases are unknown. */
export const phases = ['blocked', 'dns', 'connect', 'ssl', 'send', 'wait', 'receive', 'unsplit'] as const;
/** A side of a comparison, as colours distinguish it. */
export type Phase = (typeof phases)[number];

/** Lines across a bar in the colour of the background, where colours are not enough; radians, widths of line and gap in px. */
export interface BarLines {
  readonly angle: number;
  readonly line: number;
  readonly gap: number;
}

/** Lines across the bars of a phase; the other phases have none. */
export const phaseLines: Readonly<Partial<Record<Phase, BarLines>>> = {
  dns: { angle: Math.PI / 2, line: 1, gap: 2 },
  connect: { angle: Math.PI / 4, line: 1, gap: 3 },
  ssl: { angle: -Math.PI / 4, line: 1, gap: 3 },
  wait: { angle: 0, line: 1, gap: 3 },
};

/** DejaVu Sans is what the server draws with. No quotes: ECharts writes them into attributes as they are. */
const FONT = 'DejaVu Sans, system-ui, sans-serif';

const light = {
  background: '#ffffff',
  text: '#1d2430',
  faintText: '#5c6675',
  line: '#c3cad4',
  gridLine: '#e8ebf0',
  shade: 'rgba(37, 99, 180, 0.07)',
  error: '#b3261e',
  /** Marks of pages and events. */
  mark: '#6b4fbb',
  /** A change that stands out. */
  accent: '#c2410c',
  /** All that is not the finding. */
  grey: '#8a94a2',
  tooltip: '#ffffff',
  /** Distinguishable also for people with a colour vision deficiency. */
  series: ['#1f6fb8', '#d9730d', '#2a9d6f', '#a8469a', '#7a6a1c', '#c0392b', '#1597a5', '#596577'],
  phases: {
    blocked: '#8a94a2',
    dns: '#1f9c94',
    connect: '#d9730d',
    ssl: '#a95cc2',
    send: '#a68212',
    wait: '#3d9852',
    receive: '#3b7dd8',
    unsplit: '#5d6878',
  },
  font: FONT,
};

/** Colours and fonts of every chart. */
export type Theme = Readonly<typeof light>;

/** Both themes; a host's own colours may replace text, background and font. */
export const themes: Readonly<Record<ThemeName, Theme>> = {
  light,
  dark: {
    background: '#15181d',
    text: '#e6e9ee',
    faintText: '#9da7b5',
    line: '#4a5361',
    gridLine: '#2a3039',
    shade: 'rgba(110, 168, 240, 0.10)',
    error: '#ff8a80',
    mark: '#b7a2ff',
    accent: '#ff9d5c',
    grey: '#64707f',
    tooltip: '#22272f',
    series: ['#6bb0f0', '#f5a14d', '#5fd0a2', '#dc8bd0', '#d3c06a', '#f08579', '#5ccfdc', '#a8b3c2'],
    phases: {
      blocked: '#64707f',
      dns: '#39bdb4',
      connect: '#f2a155',
      ssl: '#c286d9',
      send: '#e0c04f',
      wait: '#6fcf85',
      receive: '#6aa5f2',
      unsplit: '#8f9bab',
    },
    font: FONT,
  },
};
