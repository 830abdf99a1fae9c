import { request } from 'undici';
import { askToken, type DirectToken } from '../emulator.ts';

/** Plain requests to the platform: no retries, no caches, nothing of the product. */
export interface Rest {
  /** The payload of a GET. */
  readonly get: (
    path: string,
    parameters?: Readonly<Record<string, string | number>>,
    projectId?: number,
  ) => Promise<Record<string, unknown>>;
  /** The payload of a POST. */
  readonly post: (path: string, body: object, projectId?: number) => Promise<Record<string, unknown>>;
  /** The bytes behind an address; undefined where they are gone. */
  readonly bytes: (url: string) => Promise<Buffer | undefined>;
}

/** Asks for a token of each project that is named, once. */
export async function openRest(environment: Readonly<Record<string, string>>): Promise<Rest> {
  const main = Number(environment['WEB_ANALYTICS_PROJECT_ID']);
  const tokens = new Map<number, Promise<DirectToken>>();
  const sendNow = async (path: string, projectId: number, body?: object): Promise<Record<string, unknown>> => {
    const asked = tokens.get(projectId) ?? askToken(environment, projectId);
    tokens.set(projectId, asked);
    const { access_token: token, endpoint } = await asked;
    const answer = await request(`${endpoint}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return (JSON.parse(text) as { payload: Record<string, unknown> }).payload;
  };
  let before: Promise<unknown> = Promise.resolve();
  // One after the other: the platform refuses several speed requests of a project at a time.
  const send = (path: string, projectId: number, body?: object) => {
    const sent = before.catch(() => undefined).then(() => sendNow(path, projectId, body));
    before = sent;
    return sent;
  };
  return {
    get: (path, parameters = {}, projectId = main) => {
      const all = { ...(!/^.v1.(?:exports|custom-vars)/.test(path) && { projectId }), ...parameters };
      const query = new URLSearchParams(Object.entries(all).map(([name, value]): [string, string] => [name, String(value)])).toString();
      return send(query === '' ? path : `${path}?${query}`, projectId);
    },
    post: (path, body, projectId = main) => send(path, projectId, body),
    async bytes(url) {
      const { body, statusCode } = await request(url);
      const bytes = Buffer.from(await body.arrayBuffer());
      return statusCode === 200 ? bytes : undefined;
    },
  };
}

/** All elements of a list that the platform gives by pages. */
export async function allOf<T>(rest: Rest, path: string): Promise<T[]> {
  const rows: T[] = [];
  for (let page = 1; page <= 20; page += 1) {
    const own = (await rest.get(path, { limit: 100, page })) as unknown as T[];
    rows.push(...own);
    if (own.length < 100) break;
  }
  return rows;
}
