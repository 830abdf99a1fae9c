import type { Project } from '../../projects.ts';
import { type SessionDay, type SessionWorld, segmentsOf } from '../sessions/index.ts';
import { scan } from '../sessions/selection.ts';
import type { ExportJob, JobInput } from './job.ts';
import type { Run } from './schedule.ts';

/** Device ids by label, of a site and of an app; the filter of a job names one. */
const deviceIds: Record<JobInput['deviceLabel'], { readonly site: number; readonly app: number }> = {
  all: { site: -1, app: -1 },
  desktop: { site: 1, app: 1 },
  mobile: { site: 2, app: 4 },
  tablet: { site: 3, app: 5 },
};

/** `filters.deviceId` of a job: -1 for all, else the id of the device on this kind of project. */
export function filterDeviceId(project: Project, device: JobInput['deviceLabel']): number {
  return deviceIds[device][project.kind === 'app' ? 'app' : 'site'];
}

/** A session that an export delivers. */
interface Selected {
  readonly day: SessionDay;
  readonly index: number;
}

function segmentBit({ projectId, segmentId }: ExportJob): number {
  return segmentId === undefined ? 0 : 1 << segmentsOf(projectId).findIndex(({ id }) => id === segmentId);
}

/** The sessions of a run in order, as they stood when it started, so that its files never change; counted as metrics count. */
export function selectionOf(sessions: SessionWorld, { job, fromMs, toMs, startMs, isEmpty }: Run): Selected[] {
  const selected: Selected[] = [];
  if (isEmpty) return selected;
  const { projectId, device } = job;
  const range = { startMs: fromMs, endMs: toMs - 1, nowMs: startMs, isDaily: false };
  scan(sessions, { projectId, device, segmentBits: segmentBit(job), ...range }, (day, index) => selected.push({ day, index }));
  return selected;
}
