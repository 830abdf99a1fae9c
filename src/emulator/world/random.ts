/** Integer hash (murmur3 finaliser) of a 32-bit counter: the same input gives the same 32 bits for ever. */
export function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Hash of several integers, order significant. */
export function hash(...values: number[]): number {
  let h = 0x9e3779b9;
  for (const value of values) h = mix(Math.imul(h, 31) + value);
  return h >>> 0;
}

/** Hash of a text, for keys such as a scenario's name. */
export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) h = Math.imul(h ^ text.charCodeAt(index), 0x01000193);
  return mix(h);
}

/** Uniform number in [0, 1) from a hash. */
export function unit(h: number): number {
  return h / 0x1_0000_0000;
}
