import { ApiError, refuse } from '../../api/errors.ts';
import { PRESET, planCalls } from '../../domain/exports/plan/journey-fields.ts';
import { dayText } from '../../domain/journeys/covered-days.ts';
import { fold } from '../../domain/names/match-name.ts';
import { hint } from '../../lib/hint.ts';
import type { Supply } from '../exports/supply.ts';
import type { Visits } from './visits.ts';

/** These errors say what comes next. */
const NAMED = { saysWayOn: true };

/** The error for columns that no downloaded file of a scope has, or none of whose files is here: how they come. */
export async function missingFields(scope: string, fields: readonly string[], isHere: boolean, supply: Supply): Promise<ApiError> {
  const way = (await supply.wayOn(isHere ? fields[0] : scope)) ?? planCalls([scope]);
  const names = fields.join(', ');
  const what = isHere
    ? `The downloaded files of ${scope} have no ${names}, which this answer needs`
    : `No export of ${scope} is in the workspace; this answer needs its ${names}`;
  return new ApiError('missing', `${what}. ${way}`, NAMED);
}

/** A custom or dynamic variable of the project. */
export interface Variable {
  readonly kind: 'custom' | 'dynamic';
  readonly key: string;
  /** Of a custom one. */
  readonly position?: number;
  /** The values that the platform lists; none where it lists none. */
  readonly values?: readonly string[];
}

/** Whether a name means the variable with this key. */
export function isVariable(key: string, name: string): boolean {
  const plain = (text: string) => fold(text).replaceAll(/[\s_-]/g, '');
  return plain(key) === plain(name);
}

/** Refuses a value that the platform does not list of a variable, before an export of it is planned for nothing. */
export function requireListed(value: string | undefined, { key, values = [] }: Variable): void {
  if (value === undefined || values.length === 0 || values.some((own) => fold(own) === fold(value))) return;
  refuse(`conditions: the platform lists no value "${value}" of ${key}; it lists ${values.slice(0, MOST_VALUES).join(', ')}.`);
}

/** Most values of a variable in a sentence. */
const MOST_VALUES = 12;
/** Most names of one kind in a sentence. */
const MOST_NAMES = 8;

/** The variables of the project, as far as they could be read, and that which is meant. */
interface VariablesRead {
  readonly meant: Variable | undefined;
  readonly variables: readonly Variable[];
  /** Why some could not be read. */
  readonly failures: readonly string[];
}

/** The error for a variable that no downloaded file holds: the one call that comes next, or the variables that there are. */
export async function missingVariable(
  name: string,
  { meant, variables, failures }: VariablesRead,
  { supply, days }: Pick<Visits, 'supply' | 'days'>,
): Promise<ApiError> {
  const absent = `conditions: no column of the downloaded files holds the variable "${name}"`;
  if (supply.coming !== undefined) return new ApiError('missing', `${absent}. ${supply.coming}`, NAMED);
  if (meant) {
    const which = meant.position === undefined ? `dynamic variable "${meant.key}"` : `custom variable ${meant.position}, "${meant.key}"`;
    const order = { fields: [PRESET, `${meant.kind} variable ${meant.key}`], scope: 'sessions', frequency: 'once' };
    const call = JSON.stringify({ ...order, startDate: dayText(days.first), endDate: dayText(days.last) });
    const way = (await supply.wayOn(meant.key)) ?? hint('plan_export', `plan_export ${call} plans it for these days.`);
    return new ApiError('missing', `${absent}. It is ${which}. ${way}`, NAMED);
  }
  if (failures.length > 0) return new ApiError('missing', `${absent}. ${failures.join(' ')} Ask again.`, NAMED);
  const named = (['custom', 'dynamic'] as const).flatMap((kind) => {
    const keys = variables.filter((each) => each.kind === kind).map(({ key }) => key);
    return keys.length === 0 ? [] : [`${kind}: ${keys.slice(0, MOST_NAMES).join(', ')}${keys.length > MOST_NAMES ? ' …' : ''}`];
  });
  const there = named.length === 0 ? '' : ` The project has ${named.join('; ')}.`;
  return new ApiError('missing', `${absent}, and the project knows none of that name.${there}`);
}
