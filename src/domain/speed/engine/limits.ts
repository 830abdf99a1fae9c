export type { Limits } from './search.ts';
import type { Limits } from './search.ts';
export function limitsFor(n: number, phi: number): Limits {
  const base = 3.0 + 0.115 * Math.log(n) + 0.45 * phi ** 3;
  return { step: base ** 2, bump: (base) ** 2+1, line: 3.2 ** 2 };
}
