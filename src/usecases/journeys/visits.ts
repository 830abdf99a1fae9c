import type { CoveredDays } from '../../domain/journeys/covered-days.ts';
import type { Cell } from '../../workspace/query/protocol.ts';
import type { Supply } from '../exports/supply.ts';
import type { SqlWords } from './sql-words.ts';
import type { Filters } from './visit-filters.ts';

/** The parameters that all tools over visits share; dates as the boundary resolves them. */
export interface VisitQuestion extends Filters {
  readonly jobIds?: readonly number[] | undefined;
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

/** A scope of exports that tools over visits read. */
export type VisitScope = 'sessions' | 'views';

/** A row of aggregates, by column. */
export type VisitRow = Readonly<Record<string, Cell>>;

/** Downloaded sessions and views over days that their files cover. */
export interface Visits {
  readonly sql: SqlWords;
  readonly question: VisitQuestion;
  readonly days: CoveredDays;
  /** Rows of all files of views, where they are read and the files say how many they have; else 0. */
  readonly views: number;
  /** Whether files of a scope are read. */
  readonly reads: (scope: VisitScope) => boolean;
  /** The quoted column of a field, where the files of a scope that is read have it on all days of the answer. */
  readonly column: (scope: VisitScope, field: string) => string | undefined;
  /** The same where files have it on some days at least; on the others it is NULL. */
  readonly partly: Visits['column'];
  /** Names of the columns that the files of a scope that is read have. */
  readonly columns: (scope: VisitScope) => readonly string[];
  /** Runs one statement; aggregates leave the engine, never rows of visitors. */
  readonly select: (statement: string) => Promise<VisitRow[]>;
  /** How the question gets what no file has. */
  readonly supply: Supply;
  /** Keeps the rows of a statement in the engine as a table, which later statements may read; left out where the engine cannot. */
  readonly keep: ((name: string, statement: string) => Promise<void>) | undefined;
}
