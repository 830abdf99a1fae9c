import type { Ask } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { matchName, type Named, pathOf } from '../domain/names/match-name.ts';
import { isAppZone } from '../usecases/zone-kind.ts';
import type { Names } from './names.ts';
import type { Project } from './over-projects.ts';

/** Where zones are looked for: the other projects of the credential, each asked with its own token. */
export interface Elsewhere {
  readonly names: Pick<Names, 'list' | 'find' | 'zonesWithin'>;
  readonly projects: readonly Project[];
  readonly askFor: (projectId: number) => Ask;
  readonly nowMs: number;
}

/** With more projects, looking for a zone would cost more than it saves. */
const MOST_PROJECTS = 6;

/** Zones of one name that are listed. */
const MOST_LISTED = 4;

/** Zones of a project that a text names: one, those of its container, or several that are called so. */
async function zonesNamed(text: string, { id }: Project, { names, askFor }: Elsewhere): Promise<{ zones: readonly Named[]; of?: string }> {
  const ask = askFor(id);
  try {
    return { zones: [await names.find('zone', text, id, ask)] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  const match = await matchName(text, await names.list('zone', id, ask));
  if ('several' in match) return { zones: match.several };
  const within = await names.zonesWithin(text, id, ask);
  return within ? { zones: within.objects, of: `${within.kind} "${pathOf(within.container)}"` } : { zones: [] };
}

/**
 * A sentence on the project in which a text names zones of an app, which has to be passed by its id; empty where no other project is
 * known to have any. Zones lie in one project, and only those of an app have metrics.
 */
export async function zonesElsewhere(text: string, elsewhere: Elsewhere): Promise<string> {
  const { projects, askFor, nowMs } = elsewhere;
  if (projects.length === 0 || projects.length > MOST_PROJECTS) return '';
  for (const project of projects) {
    const { zones, of } = await zonesNamed(text, project, elsewhere).catch(() => ({ zones: [], of: undefined }));
    const [first] = zones;
    if (!first || !(await isAppZone(first.id, { ask: askFor(project.id), nowMs }))) continue;
    const listed = zones.slice(0, MOST_LISTED).map((zone) => `${zone.id} "${pathOf(zone)}"`);
    const what = of === undefined ? listed.join(', ') : `${of} with ${zones.length} zones`;
    return `As zones of an app project ${project.id} (${project.name}) has ${what}: call again with projectId "${project.id}".`;
  }
  return '';
}

/** Whether a call failed because a zone is not known here, or has no metrics. */
const isAboutZones = ({ kind, message }: ApiError) =>
  (kind === 'invalid' && /^zoneIds?\b/.test(message)) || (kind === 'missing' && message.includes('/metrics/zone/'));

/** The way that leads on before the failure; what is found here has no metrics, so choosing among it would lead nowhere. */
function beforeOthers(sentence: string, message: string): string {
  const [, place = '', rest = message] = /^(zoneIds?[^:\s]*: )(.*)$/s.exec(message) ?? [];
  return `${place}${sentence} In this project: ${rest.replace(' Pass the id or a longer path.', '')}`;
}

/** The failure of a call that named zones, with the project in which one of them is a zone of an app; any other failure as it is. */
export async function withZonesElsewhere(texts: readonly string[], error: unknown, find: () => Promise<Elsewhere>): Promise<unknown> {
  const [text] = texts;
  if (!(error instanceof ApiError) || text === undefined || !isAboutZones(error)) return error;
  const sentence = await zonesElsewhere(text, await find()).catch(() => '');
  if (sentence === '') return error;
  const { kind, message, status, code, retryAfterMs, transient } = error;
  return new ApiError(kind, beforeOthers(sentence, message), { status, code, retryAfterMs, transient, cause: error, saysWayOn: true });
}
