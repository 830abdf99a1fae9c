import { quote, type Redactor } from '../lib/redact.ts';
import { ApiError } from './errors.ts';
import type { Scope } from './operation.ts';

/** The content of `/v1/oauth/me` for a credential. */
export interface Granted {
  scopes: string[];
  /** Empty where the answer names none. */
  projects: { id: number; name: string }[];
}

/** Scopes that one token carries together; the others are asked for only when named. */
export const JOINT_SCOPES = ['speed-analysis', 'data-export', 'metrics'] as const satisfies readonly Scope[];
const MAX_LISTED_PROJECTS = 30;
const DEFAULT_PROJECT = 'WEB_ANALYTICS_PROJECT_ID sets a default.';
/** How a project is chosen, for refusals. */
export const CHOOSE_PROJECT = 'pass projectId, or set WEB_ANALYTICS_PROJECT_ID';

function listOf({ projects }: Granted, redact: Redactor): string {
  const listed = projects.slice(0, MAX_LISTED_PROJECTS).map(({ id, name }) => `${id} (${quote(name, redact, 80)})`);
  return `${listed.join(', ')}${projects.length > listed.length ? ` and ${projects.length - listed.length} more` : ''}`;
}

/** The project of a credential that reaches a single one; undefined where it reaches several, or that is not known. */
export function onlyProject(granted: Granted | undefined): number | undefined {
  return granted?.projects.length === 1 ? granted.projects[0]?.id : undefined;
}

/** Refuses a project that the credential does not reach, and a choice left open between several; says nothing where the list is unknown. */
export function checkProject(granted: Granted | undefined, projectId: number | undefined, redact: Redactor): void {
  if (!granted || granted.projects.length === 0) return;
  if (projectId === undefined && granted.projects.length > 1) {
    throw new ApiError(
      'invalid',
      `projectId: the credential reaches several projects; choose one of ${listOf(granted, redact)}. ${DEFAULT_PROJECT}`,
    );
  }
  if (projectId !== undefined && granted.projects.every(({ id }) => id !== projectId)) {
    throw new ApiError('invalid', `projectId: the credential does not reach project ${projectId}; it reaches ${listOf(granted, redact)}.`);
  }
}

/** The refusal of an operation or token whose scopes the credential lacks. */
export function lacksScope(missing: readonly string[], granted: readonly string[]): ApiError {
  const has = granted.length > 0 ? `it has ${granted.join(', ')}` : 'it has none';
  return new ApiError(
    'forbidden',
    `The credential lacks the scope ${missing.join(', ')}; ${has}. An administrator can add it in the console.`,
  );
}

/**
 * The scopes to ask for so that `scope` is covered: alone for those that stand alone, else all joint ones that the session needs
 * and the credential grants. Where the grants are unknown, those that are needed.
 */
export function scopesFor(scope: Scope, needed: readonly Scope[], granted: Granted | undefined): string[] {
  if (granted && !granted.scopes.includes(scope)) throw lacksScope([scope], granted.scopes);
  if (!JOINT_SCOPES.some((joint) => joint === scope)) return [scope];
  return jointScopes([...needed, scope], granted);
}

/** Those of the needed joint scopes that the credential grants, sorted. */
export function jointScopes(needed: readonly Scope[], granted: Granted | undefined): string[] {
  return JOINT_SCOPES.filter((joint) => needed.includes(joint) && (granted?.scopes.includes(joint) ?? true)).toSorted();
}

/** The scopes of a session's token: the joint ones, or where the session needs none of them, one that the credential grants. */
export function tokenScopes(needed: readonly Scope[], granted: Granted): string[] {
  const joint = jointScopes(needed.length > 0 ? needed : JOINT_SCOPES, granted);
  return joint.length > 0 ? joint : granted.scopes.slice(0, 1);
}
