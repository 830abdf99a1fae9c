import type * as z from 'zod';
import { ApiError } from './errors.ts';
import { listed, wordIssues } from './issues.ts';
import type { Operation } from './operation.ts';
import * as p from './params.ts';

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
