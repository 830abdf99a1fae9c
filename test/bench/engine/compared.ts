/** The answer of one engine about one world of a cell, beside what is true. */
export interface Said {
  /** Whether a planted change was found, or something said where nothing was planted. */
  readonly isSaid: boolean;
  /** Whether the first day or run is the planted one, and whether the bounds of 95 % hold it; left out where nothing can be dated. */
  readonly isExact?: boolean;
  readonly isCovered?: boolean;
}

/** The two engines' answers to the same questions, and the processor time that each took. */
export interface Tally {
  questions: number;
  readonly old: { said: number; dated: number; exact: number; covered: number; ms: number };
  readonly fresh: { said: number; dated: number; exact: number; covered: number; ms: number };
}

const none = () => ({ said: 0, dated: 0, exact: 0, covered: 0, ms: 0 });
export const emptyTally = (): Tally => ({ questions: 0, old: none(), fresh: none() });

/** Asks both engines one question. */
export function askBoth(tally: Tally, old: () => Said, fresh: () => Said): void {
  tally.questions += 1;
  for (const [own, ask] of [
    [tally.old, old],
    [tally.fresh, fresh],
  ] as const) {
    const started = process.cpuUsage();
    const { isSaid, isExact, isCovered } = ask();
    const { user, system } = process.cpuUsage(started);
    own.ms += (user + system) / 1000;
    own.said += Number(isSaid);
    own.dated += Number(isCovered !== undefined);
    own.exact += Number(isExact === true);
    own.covered += Number(isCovered === true);
  }
}

/** Adds a cell to all cells. */
export function addTo(all: Tally, { questions, old, fresh }: Tally): void {
  all.questions += questions;
  for (const key of ['said', 'dated', 'exact', 'covered', 'ms'] as const) {
    all.old[key] += old[key];
    all.fresh[key] += fresh[key];
  }
}

export const COLUMNS = [
  'cell',
  'questions',
  'said before',
  'now',
  'ratio',
  'exact before',
  'now',
  'in the bounds before',
  'now',
  'ms before',
  'now',
];

const percent = (hits: number, of: number) => (of > 0 ? `${((100 * hits) / of).toFixed(1)} %` : '–');

/** A line of a table. */
export function lineOf(name: string, { questions, old, fresh }: Tally): { cells: string[] } {
  return {
    cells: [
      name,
      String(questions),
      percent(old.said, questions),
      percent(fresh.said, questions),
      old.said > 0 ? (fresh.said / old.said).toFixed(3) : '–',
      percent(old.exact, old.dated),
      percent(fresh.exact, fresh.dated),
      percent(old.covered, old.dated),
      percent(fresh.covered, fresh.dated),
      (old.ms / questions).toFixed(1),
      (fresh.ms / questions).toFixed(1),
    ],
  };
}
