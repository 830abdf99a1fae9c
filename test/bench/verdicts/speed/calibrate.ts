import { fitCourse } from '../../../../src/domain/speed/engine/course.ts';
import { frameOf, gainOfPart, likelihoodOf, sumsOf } from '../../../../src/domain/speed/engine/likelihood.ts';
import { twoSidedTail } from '../../../../src/domain/speed/engine/limits.ts';
import { noiseFromDifferences, slowVariance } from '../../../../src/domain/speed/engine/noise.ts';
import { fitParts } from '../../../../src/domain/speed/engine/parts.ts';
import { penaltyOf, strongestParts } from '../../../../src/domain/speed/engine/search.ts';
import { DAY_MS, makeWorld } from './worlds.ts';

const SIZES = process.argv[3]?.split(',').map(Number) ?? [12, 24, 37, 74, 148, 296, 888, 3552];
const PHIS = process.argv[4]?.split(',').map(Number) ?? [0, 0.3, 0.6, 0.8, 0.9, 0.95];
const worlds = Number(process.argv[2] ?? 300);
for (const n of SIZES)
  for (const ar of PHIS) {
    const days = n < 37 ? n : 37;
    const nature = {
      cadenceMs: (days * DAY_MS) / n,
      baselineDays: days - Math.floor(days / 5),
      periodDays: Math.floor(days / 5),
      noise: 0.1,
      ar,
      outliers: 0,
      cycle: 'none',
    } as const;
    const scores = Array.from({ length: worlds }, (_, index) => {
      const { runs, shortest } = fitCourse(makeWorld(nature, { kind: 'stable' }, 9_000_000 + index), {
        effect: { relative: 0.05, absolute: 50 },
        timeZone: 'UTC',
      });
      const none = likelihoodOf(sumsOf(runs, [])).noise;
      const most = { step: 0, bump: 0, line: 0, phi: none.phi };
      const parts = [none, noiseFromDifferences(runs.x, runs.floor)].flatMap((noise) => strongestParts(frameOf(runs, noise), shortest));
      for (const part of [...parts, { kind: 'line' } as const]) {
        const sums = sumsOf(runs, [part]);
        const whole = likelihoodOf(sums);
        const inflation = slowVariance(
          fitParts(frameOf(runs, whole.noise), part.kind === 'bump' ? [] : [part]).residual,
          whole.noise.sigma,
        );
        const gain = gainOfPart(sums, 0, whole).gain / inflation - penaltyOf(part, runs.x.length);
        most[part.kind] = Math.max(most[part.kind], gain);
      }
      return most;
    });
    const sorted = (kind: 'step' | 'bump' | 'line' | 'phi') => scores.map((each) => each[kind]).toSorted((a, b) => a - b);
    const words = (['step', 'bump', 'line'] as const).map((kind) => {
      const all = sorted(kind);
      const tests = [0.95, 0.98, 0.99, 0.995].map((q) => (1 - q) / twoSidedTail(Math.sqrt(Math.max(0, all[Math.floor(q * worlds)] ?? 0))));
      return `${kind} N ${tests.map((t) => t.toFixed(1)).join(' ')} (99 %: ${Math.sqrt(all[Math.floor(worlds * 0.99)] ?? 0).toFixed(2)})`;
    });
    process.stdout.write(`${n} ${ar} phi ${(sorted('phi')[worlds >> 1] ?? 0).toFixed(3)} ${words.join(' | ')}\n`);
  }
