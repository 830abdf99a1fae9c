/** A list or object that the platform sends as text: parsed where it is JSON, else the text as it came. */
export function parsedOrText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
