import type * as z from 'zod';
import { ApiError } from './errors.ts';
import type { Operation } from './operation.ts';
import * as p from './params.ts';

/** `frequency.dateRange.to`, `fields[2].fieldName`. */
function memberOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') {
    const choices = issue.errors.flatMap((issues) => issues.slice(0, 1).map(expectation));
    return choices.length > 0 ? [...new Set(choices)].join(', or ') : 'fits none of the accepted forms';
  }
  const message = issue.message.replace(/^(Invalid input|Invalid option|Too small|Too big): /, '');
  return message.endsWith(', received undefined') ? `${message.replace(', received undefined', '')}, but it is missing` : message;
}

/** Words each broken rule as "member: what is expected"; `members` are the names that are taken at all. */
function wordIssues(issues: readonly z.core.$ZodIssue[], members: readonly string[]): string[] {
  return issues.flatMap((issue) => {
    const member = memberOf(issue.path);
    if (issue.code === 'unrecognized_keys') {
      const among = member === '' ? `; expected one of ${members.join(', ') || 'no members at all'}` : '';
      return issue.keys.map((key) => `${memberOf([...issue.path, key])}: is not known here${among}`);
    }
    return [`${member || 'input'}: ${expectation(issue)}`];
  });
}

/** Complaints that are told at once; the rest is like them. */
const MAX_COMPLAINTS = 20;

/** The complaints as one text; of a long list its beginning and how many there are more. */
export function listed(complaints: readonly string[], separator: string): string {
  const more = complaints.length - MAX_COMPLAINTS;
  return more > 0 ? `${complaints.slice(0, MAX_COMPLAINTS).join(separator)}${separator}and ${more} more` : complaints.join(separator);
}

/** Returns the checked value; throws one ApiError that words every broken rule as "member: what is expected". */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown, members: readonly string[]): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ApiError('invalid', `${listed(wordIssues(parsed.error.issues, members), '; ')}.`);
}

/** Refuses a project id that is none. */
export function checkProjectId(projectId: number | undefined): void {
  if (!p.id.optional().safeParse(projectId).success)
    throw new ApiError('invalid', `projectId: expected a positive integer, got ${projectId}.`);
}

/** Refuses scope names that do not exist or do not go together; returns them sorted, without repeats. */
export function checkScopes(scope: string): string[] {
  const parsed = p.scopeList.safeParse(scope);
  if (!parsed.success) throw new ApiError('invalid', `scope: ${parsed.error.issues.map(({ message }) => message).join('; ')}.`);
  return [...new Set(parsed.data.split(/\s+/))].toSorted();
}

/**
 * The input as it goes on the wire, checked against every rule of the operation. `projectId` is filled in where the operation
 * takes one; that of enrichment may be open until the token tells it, and is then absent.
 */
export function checkInput(operation: Operation, input: Record<string, unknown>, projectId?: number): Record<string, unknown> {
  const members = Object.keys(operation.input.shape);
  if (!members.includes('projectId')) return check(operation.input, input, members);
  const given = input['projectId'] ?? projectId;
  const isOpen = given === undefined && operation.base === 'enrichment';
  const { projectId: checked, ...rest } = check(operation.input, { ...input, projectId: isOpen ? 1 : given }, members);
  return isOpen || checked === undefined ? rest : { projectId: checked, ...rest };
}
