import { callText, definePrompt } from '../tooling/prompt.ts';
import { exportJob } from './arguments.ts';

export default definePrompt({
  name: 'backfill_gaps',
  title: 'Backfill the gaps of an export',
  description: 'Finds the days or hours that an export job lacks, says why, fills them with once jobs, and fetches the files.',
  arguments: {
    job: { description: 'Export job, id or name', required: true, complete: exportJob },
  },
  tools: ['find_export_gaps', 'apply_export_plan', 'download_export_run', 'sync_exports'],
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
