import type { FunnelSpec } from './spec.ts';

/** What a funnel is drawn from. */
export interface FunnelDrawn {
  readonly steps: readonly { readonly step: string; readonly sessions: number }[];
  readonly unit: string;
  readonly covered: readonly string[];
}

/** The chart of a funnel; undefined where nobody did its first step. */
export function funnelChart({ steps, unit, covered }: FunnelDrawn): FunnelSpec | undefined {
  if ((steps[0]?.sessions ?? 0) === 0) return undefined;
  return {
    kind: 'funnel',
    title: `Funnel: ${steps[0]?.step ?? ''} to ${steps.at(-1)?.step ?? ''}`,
    subtitle: `${unit}, ${covered.join(', ')}`,
    unit,
    steps: steps.map(({ step, sessions }) => ({ name: step, count: sessions })),
  };
}
