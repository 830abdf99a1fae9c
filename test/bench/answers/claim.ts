import type { Called } from '../peer.ts';

/** A scalar of an answer, under the names that lead to it, joined by points. */
type Field = readonly [name: string, value: unknown];

/** What an answer says of one thing: a row of a table, an element of a list, a finding; with the scalars that stand above it. */
export type Fields = readonly Field[];

/** Something that a record must hold. */
export interface Held {
  /** Names under which it may stand: a column of today's tables, or a field of a finding. */
  readonly as: readonly string[];
  /** A figure, a day or word, or one of several words. */
  readonly is: number | string | readonly string[];
  /** How far a figure may lie off, where it is an estimate; left out: as exactly as it is written. */
  readonly within?: number;
}

/** What an answer must hold as data, found without the product. */
export interface Claim {
  /** Asked of the platform by plain requests and computed here, or planted in the world. */
  readonly by: 'REST' | 'planted';
  /** For people, where what it holds does not say it. */
  readonly says?: string;
  /** Names that the record must have, or one of several for the same. */
  readonly at?: readonly (string | number | readonly (string | number)[])[];
  /** Names that it may have, though they narrow the place. */
  readonly may?: readonly string[];
  /** The metric, where no column is named by it. */
  readonly metric?: string;
  /** One record of the place holds all of it. */
  readonly has?: readonly Held[];
  /** No record of the place holds it. */
  readonly none?: Held;
  /** That the question is refused: an error and no table. */
  readonly refused?: true;
  /** What no record tells: whether the platform holds what the answer says was done, or whether it comes first. */
  readonly done?: boolean;
}

/** `words`: only the text says it, the data do not. */
export type Outcome = 'yes' | 'words' | 'no';

const PROSE = new Set(['answer', 'line', 'says', 'sentence', 'notes', 'details', 'title']);
/** What narrows a place. */
const NARROWS = new Set(['device', 'segment', 'scenario', 'step']);
const ALL = new Set([null, 'all', 'all devices']);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The entries of an object, a table of columns and rows in it as a list of objects. */
function entriesOf({ columns, rows, ...rest }: Readonly<Record<string, unknown>>): [string, unknown][] {
  if (!Array.isArray(columns) || !Array.isArray(rows)) return Object.entries({ columns, rows, ...rest });
  const list = rows.map((row: readonly unknown[]) => Object.fromEntries(columns.map((name, index) => [name, row[index]])));
  return [...Object.entries(rest), ['rows', list]];
}

function collect(value: Readonly<Record<string, unknown>>, context: Fields, prefix: string, isTop: boolean): Fields[] {
  const own: Field[] = [];
  const inner: [string, Readonly<Record<string, unknown>>][] = [];
  const take = (entries: readonly [string, unknown][], before: string) => {
    for (const [key, each] of entries.filter(([name]) => !PROSE.has(name)))
      for (const item of Array.isArray(each) ? each : [each]) {
        const name = `${before}${key}`;
        if (!isObject(item)) own.push([name, item]);
        else if (isTop || Array.isArray(each)) inner.push([Array.isArray(each) ? '' : `${name}.`, item]);
        else take(entriesOf(item), `${name}.`);
      }
  };
  take(entriesOf(value), prefix);
  const names = new Set(own.map(([name]) => name));
  const record = [...own, ...context.filter(([name]) => !names.has(name))];
  return [record, ...inner.flatMap(([name, item]) => collect(item, record, name, false))];
}

/**
 * The records of structured content. What stands in an object of the first level is one record and no other's context, so that the place
 * of a change is not taken for that of each row beside it.
 */
const recordsOf = (structured: Called['structured']): Fields[] => (structured ? collect(structured, [], '', true) : []);

/** Whether a value is this name: alone, with more behind it, in quotes behind a number, or an instant of this day. */
function means(value: unknown, name: string | number): boolean {
  const text = String(value);
  if (text === String(name) || text.startsWith(`${name}: `) || text.startsWith(`${name} (`) || text.endsWith(` "${name}"`)) return true;
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && text.slice(0, 10) === name;
}

/** How far a figure may lie off that is written so: half of its last place, of two figures at least. */
function halfPlace(shown: number): number {
  const decimals = String(shown).split('.')[1]?.length ?? 0;
  const second = shown === 0 ? 0 : Math.floor(Math.log10(Math.abs(shown))) - 1;
  return Math.min(0.5 * 10 ** -decimals, 0.5 * 10 ** second) * (1 + 1e-9);
}

function holds(fields: Fields, { as, is, within }: Held): boolean {
  const values = fields.filter(([name]) => as.includes(name)).map(([, value]) => value);
  if (typeof is !== 'number') return values.some((value) => [is].flat().some((each) => means(value, each)));
  const figures = values.filter((value) => value !== null && value !== '').map(Number);
  return figures.some((figure) => Math.abs(figure - is) <= (within ?? halfPlace(figure)));
}

function isAt(fields: Fields, { at = [], may = [], metric }: Claim): boolean {
  const named = (value: unknown, names: Claim['at'] = []) => names.flat().some((name) => means(value, name));
  return (
    at.every((names) => fields.some(([, value]) => named(value, [names]))) &&
    (metric === undefined || fields.some(([, value]) => value === metric)) &&
    fields.every(([name, value]) => !NARROWS.has(name.split('.').at(-1) ?? '') || ALL.has(value as string) || named(value, [...at, ...may]))
  );
}

/** Whether a line of the text says it all: its names and, near enough, its figures in some unit. */
function isSaid({ at = [], has = [] }: Claim, text: string): boolean {
  return text.split('\n').some((line) => {
    const shown = [...line.matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([match]) => Number(match.replaceAll(',', '')));
    const near = (figure: number, within?: number) =>
      [1, 1e3, 1e6].some((unit) =>
        shown.some((each) => Math.abs(each * unit - Math.abs(figure)) <= (within ?? halfPlace(each) * unit) && each > 0),
      );
    return (
      at.every((names) => [names].flat().some((name) => line.includes(String(name)))) &&
      has.every(({ is, within }) => (typeof is === 'number' ? near(is, within) : [is].flat().some((each) => line.includes(each))))
    );
  });
}

/** Whether an answer holds what is true as data, says it in words alone, or does neither. */
export function outcomeOf(claim: Claim, { text, structured, isError }: Called): Outcome {
  const { has = [], none, refused, done = true } = claim;
  if (refused) return isError && !structured ? 'yes' : 'no';
  const here = recordsOf(structured).filter((fields) => isAt(fields, claim));
  if (!done || (none && here.some((fields) => holds(fields, none)))) return 'no';
  if (here.some((fields) => has.every((each) => holds(fields, each)))) return 'yes';
  return isSaid(claim, text) ? 'words' : 'no';
}

/** The value as people read it. */
const rounded = (value: number, digits = 4) => Number(value.toFixed(digits));

/** What a claim says, for people. */
export function wordsOf({ by, says, at = [], has = [], none, refused }: Claim): string {
  const place = at.map((names) => [names].flat().at(-1)).join(', ');
  const held = has.map(({ as, is, within }) => {
    const value = typeof is === 'number' ? rounded(is) : [is].flat()[0];
    return `${as[0]} ${value}${within === undefined ? '' : ` ± ${rounded(within, 2)}`}`;
  });
  const own = refused ? 'no such figure here, refused' : [place, [...held, ...(none ? [`none ${[none.is].flat()[0]}`] : [])].join(', ')];
  return `${by}: ${says ?? [own].flat().filter(Boolean).join(': ')}`;
}
