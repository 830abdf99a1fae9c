import { cursorAt, positionOf } from '../findings/page-of.ts';
import { ofAnswer } from '../lib/note-mark.ts';

/** Stands between the place among the scenarios, that among the rows of the answer about them, and the end of these scenarios. */
const BETWEEN = '~';

/** Where an answer about many scenarios goes on. */
export interface ScenarioPlace {
  /** Scenarios before it, which earlier calls looked at. */
  readonly start: number;
  /** The cursor among the rows of this answer; undefined for its first page. */
  readonly rows: string | undefined;
  /** Scenarios up to the end of the answer whose rows these are, where it was not about all: its later pages are about the same. */
  readonly end?: number | undefined;
}

/** Reads a cursor of scenarios; throws an `ApiError` of kind `invalid` for one of another question. */
export function readScenarioCursor(cursor: string | undefined, list: unknown, length: number): ScenarioPlace {
  const [scenarios, rows, end] = cursor?.split(BETWEEN) ?? [];
  const start = scenarios === undefined ? 0 : positionOf(scenarios, list, length);
  return { start, rows: rows === '' ? undefined : rows, end: end ? Number(end) : undefined };
}

/** The cursor of the scenarios from `start` on, or of later rows of the answer about them. */
export function scenarioCursor({ start, rows = '', end }: ScenarioPlace, list: unknown): string {
  return [cursorAt(start, list), rows, end ?? ''].join(BETWEEN);
}

/** The scenarios of one answer among all that were asked for, counted from 1; the cursor gives the next ones. */
export type ScenarioPart = NonNullable<ReturnType<typeof partOf>>;

/** Which part of the scenarios an answer is about; undefined where it is about all. */
export function partOf(start: number, looked: number, of: number, list: unknown) {
  const to = start + looked;
  if (start === 0 && to >= of) return undefined;
  return { from: start + 1, to, of, cursor: to < of ? scenarioCursor({ start: to, rows: undefined }, list) : undefined };
}

/** `the first 7 of 400 scenarios`, `scenarios 8 to 14 of 400`. */
export function placeWords({ from, to, of }: ScenarioPart): string {
  return from === 1 ? `the first ${to} of ${of} scenarios` : `scenarios ${from} to ${to} of ${of}`;
}

/** `Only 7 of 400 scenarios looked at yet`, which stands before what an answer says of them; of the last ones which they are. */
export function yetWords(part: ScenarioPart): string {
  const { from, to, of, cursor } = part;
  if (cursor === undefined) return `This is about ${placeWords(part)}`;
  return from === 1 ? `Only ${to} of ${of} scenarios looked at yet` : `Only ${placeWords(part)} looked at here`;
}

/** `Scenarios 1 to 7 of 400, the newest first; cursor "…" goes on.` */
export function partWords({ from, to, of, cursor }: ScenarioPart): string {
  const here = `Scenarios ${from} to ${to} of ${of}${of > MANY ? ', those created last first' : ''}`;
  return ofAnswer(cursor === undefined ? `${here}: the last ones.` : `${here}; the same call with cursor "${cursor}" goes on.`);
}

/** More scenarios than one call is sure to look at. */
const MANY = 12;

/** Scenarios in the order in which they are looked at: of very many, those that were created last first. */
export function inReadingOrder(ids: readonly number[]): readonly number[] {
  return ids.length > MANY ? ids.toSorted((a, b) => b - a) : ids;
}
