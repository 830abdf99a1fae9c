import { isVariableField } from '../../domain/exports/plan/resolve-fields.ts';
import type { Cell } from '../../workspace/query/protocol.ts';
import type { RunManifest } from '../../workspace/store/manifest.ts';
import { isNamed } from './statement.ts';

/** Texts that stand for no value of a variable, as deployments write them. */
export const NO_VALUE = /^$|(^|[-_ ])(empty|null|undefined|none|not[-_ ]set)$/i;

/** The same where other columns may hold words like `none` too. */
const CERTAIN = /[-_ ](empty|not[-_ ]set)$/i;

/** Says of a text among these rows that it stands for no value, where the statement reads a variable; undefined where there is none. */
export function noValueWords(sql: string, runs: readonly RunManifest[], rows: readonly (readonly Cell[])[]): string | undefined {
  const variables = runs
    .flatMap(({ fields }) => fields)
    .flatMap(({ fieldName, aliasName }) => (isVariableField(fieldName) ? (aliasName ?? []) : []));
  const [name] = new Set(variables.filter((variable) => isNamed(sql, variable)));
  const text = rows.flat().find((cell) => typeof cell === 'string' && CERTAIN.test(cell));
  return name === undefined || typeof text !== 'string' ? undefined : `"${text}" stands for no value of ${name}.`;
}
