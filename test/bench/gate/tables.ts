import type { GateRow } from '../gate-row.ts';
import type { Subjects, Table, Trial } from '../tables.ts';

interface Kind {
  readonly name: string;
  readonly better: GateRow['better'];
}

const POWER: Kind = { name: 'power', better: 'higher' };
const FALSE: Kind = { name: 'false alarms', better: 'lower' };
const kind = (name: string): Kind => ({ name, better: 'higher' });

/** What a column or a count of a table is a figure of, by its heading; the first that fits counts, and others are for reading. */
const KINDS: readonly (readonly [RegExp, Kind | undefined])[] = [
  [/\(most\)|oracle|reference$|^reference/, undefined],
  [/^found \(75/, kind('changes of the detectable size found')],
  [/within bounds/, kind('values within the expected bounds')],
  [/dated|possible days|in range/, kind('dated')],
  [/^precision/, kind('precision')],
  [/^right about/, kind('reasons right')],
  [/with one day, place and size|right day and place/, kind('one story')],
  [/^(up or down|false|with a false change)|≤|\(0\)/, FALSE],
  [/^(found|right|named|told in all|told by all|recall of|a fallen day low|that week told)|≥/, POWER],
];

/** Cells that hold several counts, each with its name. */
const countsOf = (cell: string) => cell.split(' · ').map((each) => [each.replace(/: [^:]*$/, ''), each.replace(/^.*: /, '')] as const);

/** Every share of a table with what it is a figure of; the states of a calm scenario that are wrong are false alarms. */
function figuresOf({ title, columns, lines }: Table): (Kind & { readonly percent: number })[] {
  const isCalm = /: (other )?stable$/.test(title);
  return lines.flatMap(({ cells }) =>
    cells
      .flatMap((cell, at) => (cell.includes(': ') ? countsOf(cell) : [[columns[at] ?? '', cell] as const]))
      .flatMap(([heading, cell]) => {
        const share = /^([\d.]+) %$/.exec(cell)?.[1];
        const found = KINDS.find(([name]) => name.test(heading))?.[1];
        if (share === undefined || !found) return [];
        const percent = Number(share);
        return [isCalm && heading === 'right' ? { ...FALSE, percent: 100 - percent } : { ...found, percent }];
      }),
  );
}

/** Of each kind of figure the mean over the cells and the worst cell. */
export async function tableRows(name: string, tablesOf: Subjects[string] | undefined, trial: Trial): Promise<GateRow[]> {
  if (!tablesOf) throw new TypeError(`There is no subject for ${name}.`);
  const kinds = new Map<string, Kind & { readonly all: number[] }>();
  for await (const table of tablesOf(trial))
    for (const { percent, ...each } of figuresOf(table)) {
      const known = kinds.get(each.name) ?? { ...each, all: [] };
      known.all.push(percent);
      kinds.set(each.name, known);
    }
  return [...kinds.values()].flatMap(({ name: of, better, all }) => [
    {
      what: `${name}: ${of}, mean of ${all.length} cells`,
      value: all.reduce((sum, each) => sum + each, 0) / all.length,
      unit: '%',
      better,
    },
    { what: `${name}: ${of}, worst cell`, value: better === 'higher' ? Math.min(...all) : Math.max(...all), unit: '%', better },
  ]);
}
