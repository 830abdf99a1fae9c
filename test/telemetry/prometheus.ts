/** One value of the text format of Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;

/** Reads the text format; throws at a line that is none of it, and at a value whose metric has no type. */
export function parseMetrics(text: string): Sample[] {
  const types = new Set([...text.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram|summary)$/gm)].map(([, name]) => name));
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined || (!types.has(name) && !types.has(name.replace(/_(bucket|sum|count)$/, ''))))
      throw new Error(`No line of the format: ${line}`);
    const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/g)];
    return { name, labels: Object.fromEntries(pairs.map(([, key = '', label = '']) => [key, label])), value: Number(value) };
  });
}

/** The values of one metric of the product whose labels are these, others whatever they be. */
export function valuesOf(samples: readonly Sample[], name: string, wanted: Readonly<Record<string, string>> = {}): number[] {
  return samples
    .filter((sample) => sample.name === `web_analytics_mcp_${name}`)
    .filter(({ labels }) => Object.entries(wanted).every(([key, value]) => labels[key] === value))
    .map(({ value }) => value);
}
