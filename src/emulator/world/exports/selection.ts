import type { Project } from '../../handler.ts';
import { DAY_MS, dayNumberOf, type SessionDay, type SessionWorld, segmentsOf } from '../sessions/index.ts';
import type { ExportJob, JobInput } from './job.ts';
import type { Run } from './schedule.ts';

/** Device ids by label; the reference's labels take web and app together. */
const deviceIds: Record<JobInput['deviceLabel'], readonly number[]> = {
  all: [0, 1, 2, 3, 4, 5],
  desktop: [1],
  mobile: [2, 4],
  tablet: [3, 5],
};

/** `filters.deviceId` of a job: -1 for all, else the id of the device on this kind of project. */
export function filterDeviceId(project: Project, device: JobInput['deviceLabel']): number {
  const ids = deviceIds[device];
  return device === 'all' ? -1 : ((project.kind === 'app' ? ids.at(-1) : ids[0]) ?? -1);
}

/** Sessions of one day that an export delivers, by index. */
export interface Selected {
  readonly day: SessionDay;
  readonly indices: readonly number[];
}

function select(day: SessionDay, { projectId, device, segmentId }: ExportJob, { fromMs, toMs }: Run): Selected {
  const midnightMs = day.dayNumber * DAY_MS;
  const devices = deviceIds[device];
  const bit = segmentsOf(projectId).findIndex(({ id }) => id === segmentId);
  const indices: number[] = [];
  for (let index = 0; index < day.count; index += 1) {
    const startMs = midnightMs + (day.startSecond[index] ?? 0) * 1000;
    if (startMs < fromMs || startMs >= toMs) continue;
    if (device !== 'all' && !devices.includes(day.deviceId[index] ?? 0)) continue;
    if (segmentId !== undefined && (((day.segments[index] ?? 0) >> bit) & 1) === 0) continue;
    indices.push(index);
  }
  return { day, indices };
}

/** The sessions of a run as they stood when it started, so that its files never change. */
export function selectionOf(sessions: SessionWorld, run: Run): Selected[] {
  const { job, fromMs, toMs, startMs } = run;
  const firstDay = dayNumberOf(fromMs);
  const days = Math.max(0, dayNumberOf(toMs - 1) - firstDay + 1);
  return Array.from({ length: days }, (_, index) => select(sessions.day(job.projectId, firstDay + index, startMs), job, run));
}
