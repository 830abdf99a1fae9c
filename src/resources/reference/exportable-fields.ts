import { ApiError } from '../../api/errors.ts';
import type { PayloadOf } from '../../api/operation.ts';
import { listExportableFields } from '../../api/operations/data-export.ts';
import { markdownTable } from '../../lib/text-table.ts';
import type { WriteTopic } from './dates-and-names.ts';

/** The scopes that request shapes of the reference show; deployments may know others. */
const SCOPES = ['sessions', 'views'];

function table(fields: PayloadOf<typeof listExportableFields>): string {
  const rows = fields.map(({ name, description, example, parameters }) => [
    name,
    `${description ?? ''}${parameters && parameters.length > 0 ? ` (needs ${parameters.join(', ')})` : ''}`,
    example ?? '',
  ]);
  return markdownTable(['fieldName', 'meaning', 'example'], rows);
}

const CONVENTIONS = `- A fieldName may appear once, except custom_var (with customVarPosition 1 to 20) and dynamic_var (with dynamicVarKey): list_custom_variables and list_dynamic_variable_keys show them.
- The names say the unit: …_cents is money in cents, …_msec is milliseconds, …_ind is yes or no.
- user_id is a number above 2^53: keep it as text. Fields with a dot are parallel arrays: errors.message[2] belongs to errors.error_time[2].
- A session ends after 30 idle minutes and is not cut at midnight. App sessions may change for 7 days: the last export wins.`;

/** The fields of the default project, or how to get them where they cannot be read now. */
const writeExportableFields: WriteTopic = async ({ ask }) => {
  const sections = await Promise.all(
    SCOPES.map(async (scope) => {
      try {
        const fields = await ask(listExportableFields, { scope });
        return `## Scope ${scope}: ${fields.length} fields\n\n${table(fields)}`;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const reason = error.message;
        return `## Scope ${scope}\n\nThe fields of the project could not be read: ${reason}\nlist_exportable_fields with scope ${scope} reads them.`;
      }
    }),
  );
  return `Fields depend on the project and the scope (\`${listExportableFields.path}\`, section ${listExportableFields.section}).\n\n${CONVENTIONS}\n\n${sections.join('\n\n')}`;
};
export default writeExportableFields;
