import { callText, definePrompt } from '../tooling/prompt.ts';
import { exportJob, exportWish } from './arguments.ts';

/** Sets up an export, with the user's consent before it is created. */
export const setUpExport = definePrompt({
  name: 'set_up_export',
  title: 'Set up an export',
  description: 'Turns a request in plain words into a checked export plan, shows it, and creates the jobs once you agree.',
  tools: ['plan_export', 'apply_export_plan', 'list_exportable_fields', 'list_custom_variables', 'download_export_run'],
  arguments: {
    description: { description: 'What to export, how often, with which fields', required: true, complete: exportWish },
  },
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
- How the files are fetched, and until when (their expirationDate).`,
});

/** Finds gaps of an export and fills them. */
export const backfillGaps = definePrompt({
  name: 'backfill_gaps',
  title: 'Backfill the gaps of an export',
  description: 'Finds the days or hours that an export job lacks, says why, fills them with once jobs, and fetches the files.',
  tools: ['find_export_gaps', 'apply_export_plan', 'download_export_run', 'sync_exports'],
  arguments: {
    job: { description: 'Export job, id or name', required: true, complete: exportJob },
  },
  text: ({ job }) => `Find the gaps of the export job "${job}" and fill them.

1. ${callText('find_export_gaps', { jobId: job })}: which days or hours have no data, and why. "Empty" is no gap; "running" and "filling" \
will be there soon.
2. Say what would be filled and with how many jobs. Expired days have a plan of their own (expiredPlanId): ask whether these files are \
still needed: they may have been fetched by other means.
3. Once the user agrees: ${callText('apply_export_plan', { planId: '<planId>' })}. If it breaks off, call it again with the same planId: \
it creates only the rest.
4. For each job that it names: ${callText('download_export_run', { jobId: '<jobId>' })}, again until the files are there. Where older runs \
are still at the platform: ${callText('sync_exports', { jobIds: [job] })}, before they expire too.
5. ${callText('find_export_gaps', { jobId: job })} again: nothing may be left.

Answer in this form:
- One sentence: how much was missing, why, and whether it is filled.
- A table: range, status, cause, backfill job.
- Which columns or filters the backfill could not take over, word for word from the notes.
- What to watch: why runs failed is not shown by the interface; the console shows it.`,
});

/** Says where exported data lie and how they reach other tools. */
export const whereExportsGo = definePrompt({
  name: 'where_do_my_exports_go',
  title: 'Where do my exports go',
  description:
    'Says where the files of your exports lie, which are here, which are about to be deleted, and how they reach a warehouse or Power BI.',
  tools: ['list_export_jobs', 'list_workspace', 'list_successful_export_runs', 'sync_exports'],
  arguments: {},
  text: () => `Say where the exports of this project go.

1. ${callText('list_export_jobs')}: which jobs run, and how they do.
2. ${callText('list_workspace')}: which of their runs lie on the disk of this server, and in its warehouse where it has one.
3. ${callText('list_successful_export_runs', { expiresBefore: '+2d' })}: which files the platform deletes next, and whether they are here.
4. Read the resource analytics://reference/where-exports-go for the ways on: workspace, ClickHouse by this server, other warehouses, \
Power BI.

Answer in this form:
- One sentence: where the data lie now, and since which day.
- A table: job, how it does, runs here, files that go within two days and are not here.
- The way to where the user wants them, with the settings by name. Ask where that is, if it was not said.
- Offer ${callText('sync_exports')} where files would be lost; do not fetch without being asked.`,
});
