import { fold } from './match-name.ts';

/** Other values that a note names. */
const MOST_NAMED = 8;

/**
 * The records whose member has this value, case and accents ignored; all where none is asked for. Says which values there are where none
 * fits.
 */
export function onlyOf<Member extends string, Row extends Readonly<Partial<Record<Member, string | null | undefined>>>>(
  member: Member,
  wanted: string | undefined,
  rows: readonly Row[],
  note: (sentence: string) => void,
): Row[] {
  if (wanted === undefined) return [...rows];
  const kept = rows.filter((row) => fold(row[member] ?? '') === fold(wanted));
  const values = [...new Set(rows.map((row) => row[member] ?? 'none'))];
  note(
    kept.length > 0
      ? `${kept.length} of ${rows.length} have the ${member} "${wanted}"; filtered by this server.`
      : `None of ${rows.length} has the ${member} "${wanted}"; there are ${values.slice(0, MOST_NAMED).join(', ')}.`,
  );
  return kept;
}
