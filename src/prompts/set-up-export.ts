import { callText, definePrompt } from '../tooling/prompt.ts';
import { exportWish } from './arguments.ts';

export default definePrompt({
  name: 'set_up_export',
  title: 'Set up an export',
  description: 'Turns a request in plain words into a checked export plan, shows it, and creates the jobs once you agree.',
  arguments: {
    description: { description: 'What to export, how often, with which fields', required: true, complete: exportWish },
  },
  tools: ['plan_export', 'apply_export_plan', 'list_exportable_fields', 'list_custom_variables', 'download_export_run'],
  text: ({ description }) => `Set up this data export: ${description}.

1. Take from it the fields, the frequency (daily, hourly, or once with a range), the format, device and segment. Where frequency or range \
is open, ask; leave the rest to the defaults.
2. ${callText('plan_export', { fields: ['<field in plain words>'], frequency: 'daily' })}, or hourly, or once with startDate and endDate. \
A word that fits several fields is refused with its candidates: choose by their meaning, or ask. \
${callText('list_exportable_fields', { scope: 'sessions' })} and ${callText('list_custom_variables')} show all there is.
3. Look at existing: where an equal job runs, say so and stop unless a second one is wanted.
4. Show the plan and ask. A recurring job can be changed or deleted only in the console.
5. ${callText('apply_export_plan', { planId: '<planId>' })}; after a failure call it again with the same planId.
6. For a once export: ${callText('download_export_run', { jobId: '<jobId>' })}.

Answer in this form:
- One sentence: what is exported, how often, from when on, and the job ids.
- A table: word of the wish, field, meaning, unit.
- What the data will not hold, and what was assumed.
- How the files are fetched, and until when (7 days).`,
});
