const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How much of a JSON text may be parsed. */
export interface JsonLimits {
  /** Levels of lists and objects. */
  readonly maxDepth: number;
  /** Lists and objects in all; each costs a parser 16 to 100 bytes of memory, however short it is written. */
  readonly maxContainers: number;
}

/**
 * Which limit a JSON text exceeds; undefined for one that may be parsed, valid or not. Reads each byte once and keeps nothing, so that
 * what would fill the memory of a parser, or the stack of what walks its value, is refused before.
 */
export function jsonExcess(bytes: Uint8Array, { maxDepth, maxContainers }: JsonLimits): 'depth' | 'containers' | undefined {
  const { length } = bytes;
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < length; at += 1) {
    const code = bytes[at] ?? 0;
    if (code === QUOTE) {
      at += 1;
      for (let inner = bytes[at] ?? QUOTE; inner !== QUOTE; inner = bytes[at] ?? QUOTE) at += inner === BACKSLASH ? 2 : 1;
      continue;
    }
    // "[" and "{", "]" and "}" differ in one bit.
    const bracket = code | 0x20;
    if (bracket === 0x7b) {
      depth += 1;
      containers += 1;
      if (depth > maxDepth) return 'depth';
      if (containers > maxContainers) return 'containers';
    } else if (bracket === 0x7d) depth -= 1;
  }
  return undefined;
}
