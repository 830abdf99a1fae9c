import { cases, hostOf, pageCondition, type SqlWords } from './sql-words.ts';
import { pageSteps } from './step.ts';

/** Devices as people name them, by the ids of the platform. */
export const deviceIds = { desktop: [1], mobile: [2], tablet: [3], app: [4, 5] } as const;

/** Which visits count; what is left out leaves nothing out. */
export interface Filters {
  readonly devices?: readonly (keyof typeof deviceIds)[] | undefined;
  readonly visitorType?: 'new' | 'returning' | undefined;
  readonly countries?: readonly string[] | undefined;
  readonly browsers?: readonly string[] | undefined;
  readonly entryPages?: readonly string[] | undefined;
  readonly automated?: 'include' | 'exclude' | undefined;
}

const among = (column: string, texts: readonly string[], sql: SqlWords) =>
  `lower(${column}) IN (${texts.map((each) => sql.text(each.trim().toLowerCase())).join(', ')})`;

/** The field of sessions that a filter reads, its condition on the column of it, and its words where its name does not say it. */
const FILTERS: {
  readonly [Name in Exclude<keyof Filters, 'entryPages'>]-?: readonly [
    field: string,
    condition: (column: string, asked: NonNullable<Filters[Name]>, sql: SqlWords) => string,
    words?: (asked: NonNullable<Filters[Name]>) => string,
  ];
} = {
  devices: ['device_id', (column, devices) => `${column} IN (${devices.flatMap((device) => deviceIds[device]).join(', ')})`],
  visitorType: ['session_number', (column, type) => `${column} ${type === 'new' ? '= 1' : '> 1'}`, (type) => `${type} visitors`],
  countries: ['country_code', among],
  browsers: ['browser_name', among],
  automated: ['is_excludable', (column) => `NOT coalesce(${column}, false)`, () => 'without automated visits'],
};

/** The filters by fields of sessions that leave some out: as the caller gave them (`devices mobile, tablet`), and as a picture says it. */
export function sessionFilters(filters: Filters) {
  return (Object.keys(FILTERS) as (keyof typeof FILTERS)[]).flatMap((name) => {
    const asked = filters[name];
    if (asked === undefined || asked === 'include') return [];
    const [field, condition, wordsOf] = FILTERS[name];
    const words = `${name} ${[asked].flat().join(', ')}`;
    const told = wordsOf?.(asked as never) ?? words; // the value of that very filter, as below
    return [{ words, told, field, condition: (column: string, sql: SqlWords) => condition(column, asked as never, sql) }];
  });
}

/** The filters as pictures say them. */
export function filterWords(filters: Filters): string[] {
  const { entryPages } = filters;
  return [...sessionFilters(filters).map(({ told }) => told), ...(entryPages ? [`entry pages ${entryPages.join(', ')}`] : [])];
}

/** Whether some visits are left out. */
export const isFiltered = (filters: Filters): boolean => filterWords(filters).length > 0;

/** Conditions on rows of sessions; `column` gives the column of a field. */
export function filterConditions(filters: Filters, column: (field: string) => string, sql: SqlWords): string[] {
  return sessionFilters(filters).map(({ field, condition }) => condition(column(field), sql));
}

/** Whether a page is one of the entry pages that are asked for; undefined where none are. */
export function entryCondition({ entryPages }: Filters, path: string, sql: SqlWords): string | undefined {
  return (
    entryPages &&
    pageSteps(entryPages, 'entryPages')
      .map((step) => pageCondition(step, path, sql))
      .join(' OR ')
  );
}

/** The device of a session, as people name it. */
export function deviceSql(column: string): string {
  const devices = Object.entries(deviceIds).map(([device, ids]) => [`${column} IN (${ids.join(', ')})`, `'${device}'`] as const);
  return cases(devices, "'unknown'");
}

const known = (value: string) => `coalesce(${value}, 'unknown')`;

/** The field of sessions that tells the group of a session, and the group as text by its column. */
const GROUPS: Readonly<Record<string, readonly [field: string, group: (column: string) => string]>> = {
  device: ['device_id', deviceSql],
  visitor_type: [
    'session_number',
    (column) =>
      cases(
        [
          [`${column} = 1`, "'new'"],
          [`${column} > 1`, "'returning'"],
        ],
        "'unknown'",
      ),
  ],
  country: ['country_code', known],
  browser: ['browser_name', known],
  referrer: ['referer_url', (column) => cases([[`coalesce(${column}, '') = ''`, "'direct'"]], known(hostOf(column)))],
};

/** Dimensions by which sessions can be split. */
export const breakdowns = ['device', 'visitor_type', 'country', 'browser', 'referrer', 'entry_page', 'day', 'week'] as const;
/** A dimension by which sessions can be split. */
export type Breakdown = (typeof breakdowns)[number];

/** The field of sessions that a split reads; undefined for one by pages or days. */
export function fieldOfBreakdown(breakdown: Breakdown | undefined): string | undefined {
  return breakdown && GROUPS[breakdown]?.[0];
}

/** The group of a session as text; undefined for a split by pages or days. */
export function groupExpression(breakdown: Breakdown | undefined, column: (field: string) => string | undefined): string | undefined {
  const [field, group] = (breakdown && GROUPS[breakdown]) ?? [];
  return field && group?.(column(field) ?? 'NULL');
}
