/** Metrics of e-commerce projects alone (section 4.4). */
export const commerceMetrics: ReadonlySet<string> = new Set(['revenueSum', 'cartAverage']);

/** Says why metrics of e-commerce have no value. */
export function commerceNote(metrics: readonly string[]): string {
  return `No value for ${metrics.join(', ')}: only e-commerce projects have one.`;
}

/** Says why metrics have no value over more than 92 days, a sentence for each; `refused` names what they lack. */
export function refusedNotes(refused: Readonly<Record<string, string>>): string[] {
  return Object.entries(refused).map(
    ([metric, lacks]) => `${metric} has no value over more than 92 days: ${lacks} are in no answer of the interface.`,
  );
}
