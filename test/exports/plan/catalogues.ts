import { type Project, shop } from '../../../src/emulator/credentials.ts';
import { customVariablesOf, dynamicVariablesOf } from '../../../src/emulator/world/exports/fields.ts';
import { scopeNamed } from '../../../src/emulator/world/exports/scopes.ts';
import type { FieldCatalogue } from '../../../src/exports/plan/resolve-fields.ts';

/** What an export of this scope can hold on the emulated platform. */
export function catalogueOf(scope: string, project: Project = shop): FieldCatalogue {
  return {
    scope,
    fields: scopeNamed(scope)?.fields ?? [],
    variables: [
      ...customVariablesOf(project).map((each) => ({ kind: 'custom' as const, ...each })),
      ...dynamicVariablesOf(project, 0).map(({ key }) => ({ kind: 'dynamic' as const, key })),
    ],
  };
}
