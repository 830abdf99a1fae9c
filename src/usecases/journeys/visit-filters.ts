import { pageSteps } from '../../domain/journeys/step.ts';
import { type SqlWords } from './sql-words.ts';
import { pageCondition } from './step-sql.ts';

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

/** The fields of sessions that filters read, and whether they read views. */
export function fieldsOfFilters({ devices, visitorType, countries, browsers, entryPages, automated }: Filters) {
  const sessions = [
    ...(devices ? ['device_id'] : []),
    ...(visitorType ? ['session_number'] : []),
    ...(countries ? ['country_code'] : []),
    ...(browsers ? ['browser_name'] : []),
    ...(automated === 'exclude' ? ['is_excludable'] : []),
  ];
  return { sessions, views: entryPages !== undefined };
}

/** Whether some visits are left out. */
export function isFiltered(filters: Filters): boolean {
  const { sessions, views } = fieldsOfFilters(filters);
  return views || sessions.length > 0;
}

/** Conditions on rows of sessions; `column` gives the column of a field. */
export function filterConditions(filters: Filters, column: (field: string) => string, sql: SqlWords): string[] {
  const { devices, visitorType, countries, browsers, automated } = filters;
  const among = (field: string, texts: readonly string[]) =>
    `lower(${column(field)}) IN (${texts.map((each) => sql.text(each.trim().toLowerCase())).join(', ')})`;
  return [
    ...(devices ? [`${column('device_id')} IN (${devices.flatMap((device) => deviceIds[device]).join(', ')})`] : []),
    ...(visitorType ? [`${column('session_number')} ${visitorType === 'new' ? '= 1' : '> 1'}`] : []),
    ...(countries ? [among('country_code', countries)] : []),
    ...(browsers ? [among('browser_name', browsers)] : []),
    ...(automated === 'exclude' ? [`NOT coalesce(${column('is_excludable')}, false)`] : []),
  ];
}

/** Whether a page is one of the entry pages that are asked for; undefined where none are. */
export function entryCondition({ entryPages }: Filters, path: string, sql: SqlWords): string | undefined {
  if (!entryPages) return undefined;
  const conditions = pageSteps(entryPages, 'entryPages').flatMap((step) => pageCondition(step, path, sql) ?? []);
  return conditions.join(' OR ');
}

/** The device of a session, as people name it. */
export function deviceSql(column: string): string {
  const cases = Object.entries(deviceIds).map(([device, ids]) => `WHEN ${column} IN (${ids.join(', ')}) THEN '${device}'`);
  return `CASE ${cases.join(' ')} ELSE 'unknown' END`;
}
