import type * as z from 'zod';
import { ApiError } from './errors.ts';
import { wordIssues } from './issue-words.ts';
import type { Operation } from './operation.ts';
import * as p from './params.ts';

/** Complaints that are listed; the rest is like them. */
const MAX_COMPLAINTS = 20;

/** The complaints as one text; of a long list its beginning and how many there are more. */
export function listed(complaints: readonly string[], separator: string): string {
  const more = complaints.length - MAX_COMPLAINTS;
  return more > 0 ? `${complaints.slice(0, MAX_COMPLAINTS).join(separator)}${separator}and ${more} more` : complaints.join(separator);
}

/** Returns the checked value; throws one ApiError that words every broken rule as "member: what is expected". */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ApiError('invalid', `${listed(wordIssues(parsed.error.issues, schema, value), '; ')}.`);
}

/** Refuses a number that cannot be a project id. */
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
 * takes one; that of enrichment may be unknown until the token names it, and is then absent.
 */
export function checkInput(operation: Operation, input: Record<string, unknown>, projectId?: number): Record<string, unknown> {
  if (!Object.hasOwn(operation.input.shape, 'projectId')) return check(operation.input, input);
  const given = input['projectId'] ?? projectId;
  const isOpen = given === undefined && operation.base === 'enrichment';
  const { projectId: checked, ...rest } = check(operation.input, { ...input, projectId: isOpen ? 1 : given });
  return isOpen || checked === undefined ? rest : { projectId: checked, ...rest };
}
