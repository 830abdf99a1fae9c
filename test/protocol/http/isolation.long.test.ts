/** @module-tag nightly */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { credentialsBy, openRawSession, openService, post, post2026, type Service, spokenSignIn } from '../../support/http.ts';
import { times } from '../../support/times.ts';

const PRINCIPALS = 20;
/** Of the 2025 era, each; in the 2026-07-28 era each principal has one more. */
const SESSIONS = 9;

/** A platform on which every datum says whose it is. */
interface Owned {
  readonly url: string;
  /** Owners by the tokens that were given out. */
  readonly tokens: Map<string, string>;
  /** Requests whose token and address do not belong together. */
  readonly crossed: string[];
  readonly close: () => void;
}

const projectOf = (owner: string) => 7_000 + Number(owner.slice(1));

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function openOwned(): Promise<Owned> {
  const tokens = new Map<string, string>();
  const crossed: string[] = [];
  let url = '';

  function answerOf(target: string, owner: string): unknown {
    const { pathname, searchParams } = new URL(target, 'http://platform');
    const project = projectOf(owner);
    if (searchParams.get('projectId') !== String(project)) crossed.push(`${owner}: ${target}`);
    if (pathname === '/v1/segments') return [{ id: project * 10, name: `Segment of ${owner}.` }];
    if (pathname === '/v1/goals') return [{ id: project * 10 + 1, name: `Goal of ${owner}.`, type: 'CUSTOM' }];
    if (searchParams.get('segmentIds') !== String(project * 10)) crossed.push(`${owner}: ${target}`);
    return {
      values: [
        { startDate: '2026-11-01T00:00:00.000Z', endDate: '2026-11-07T23:59:59.999Z', value: project, name: 'visits', currency: 'EUR' },
      ],
    };
  }

  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const target = request.url ?? '';
      const answer = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
      if (target === '/v1/oauth/token') {
        const { client_id: owner, client_secret: secret } = JSON.parse(body) as { client_id: string; client_secret: string };
        if (secret !== `secret of ${owner}`) crossed.push(`${owner} asked with another's secret`);
        const token = `token-${tokens.size}-of-${owner}.`;
        tokens.set(token, owner);
        return answer({ access_token: token, expires_in: 3600, scope: 'metrics', project_id: projectOf(owner), endpoint: url });
      }
      if (target === '/v1/oauth/me') {
        // Grants are asked for with the credential itself.
        const owner = /p\d+/.exec(body || String(request.headers.authorization))?.[0] ?? 'p0';
        return answer({ scopes: 'metrics', permissions: { projects: [{ id: projectOf(owner), name: `Project of ${owner}.` }] } });
      }
      const owner = tokens.get(String(request.headers.authorization).replace(/^Bearer /, ''));
      if (owner === undefined) crossed.push(`no token: ${target}`);
      return answer({ success: true, payload: answerOf(target, owner ?? 'p0') });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    tokens,
    crossed,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const owners = times(PRINCIPALS, (index) => `p${index + 1}`);
const neighbourOf = (owner: string) => owners[(owners.indexOf(owner) + 1) % PRINCIPALS] ?? '';
const bearer = (owner: string) => ({ authorization: `Bearer ${owner}:read+write` });

/** Whoever is named in an answer. */
const namedIn = (answer: unknown) => new Set(JSON.stringify(answer).match(/\bp\d+\b/g));

const range = { startDate: '2026-11-01', endDate: '2026-11-07' };

describe('200 sessions of 20 principals, at the same time', () => {
  let platform: Owned;
  let service: Service;
  beforeAll(async () => {
    platform = await openOwned();
    const credentials = Object.fromEntries(
      owners.map((owner) => [
        owner,
        { credential: { clientId: owner, clientSecret: `secret of ${owner}` }, defaultProjectId: projectOf(owner) },
      ]),
    );
    service = await openService({
      signIn: spokenSignIn,
      credentials: credentialsBy(credentials),
      settings: { AUTH_URL: platform.url, MAX_REQUESTS: '2000', TOOLSETS: 'account,objects,metrics' },
    });
  });
  afterAll(async () => {
    await service.close();
    platform.close();
  });

  /** Owners of sessions that asked for the level of their credential, which takes a token without a project. */
  const levelAsked: string[] = [];
  type Call = (name: string, args: object) => Promise<unknown>;

  /** What one session sees of the platform: what it lists, what a name of its own leads to, and what its neighbour's does. */
  async function look(owner: string, call: Call, turn: number): Promise<void> {
    const visits = (name: string) => call('get_site_visits', { ...range, segmentIds: [name] });
    const lists = ['list_segments', 'list_goals', 'get_credential'];
    const list = lists[turn % lists.length] ?? '';
    if (list === 'get_credential') levelAsked.push(owner);
    const stranger = neighbourOf(owner);
    const [foreign, ...own] = await Promise.all([visits(`Segment of ${stranger}.`), call(list, {}), visits(`Segment of ${owner}.`)]);
    for (const answer of own) {
      expect(answer).toEqual(expect.objectContaining({ result: expect.objectContaining({ structuredContent: expect.anything() }) }));
      expect([...namedIn(answer)]).toEqual([owner]);
    }
    expect(foreign).toHaveProperty('result.isError', true);
    expect(JSON.stringify(foreign)).not.toContain(String(projectOf(stranger) * 10));
  }

  const sessions: { owner: string; headers: Record<string, string> }[] = [];
  let asked = 0;
  const callIn =
    (headers: Record<string, string>): Call =>
    async (name, args) =>
      (await post(service.url, { id: (asked += 1), method: 'tools/call', params: { name, arguments: args } }, headers)).message;
  const callOf =
    (owner: string): Call =>
    async (name, args) =>
      (await post2026(service.url, 'tools/call', { name, arguments: args }, bearer(owner))).message;

  it('see nothing but what is their own', async () => {
    const opening = owners.flatMap((owner) =>
      times(SESSIONS, async () => ({ owner, headers: await openRawSession(service.url, bearer(owner)) })),
    );
    sessions.push(...(await Promise.all(opening)));
    const looking = [
      ...sessions.map(({ owner, headers }, turn) => look(owner, callIn(headers), turn)),
      ...owners.map((owner, turn) => look(owner, callOf(owner), turn)),
    ];
    expect(looking).toHaveLength(PRINCIPALS * (SESSIONS + 1));
    await Promise.all(looking);
    expect(service.sessions()).toBe(PRINCIPALS * (SESSIONS + 1));
  });

  it('have each a token of their own, which went to their own project alone', () => {
    expect(platform.crossed).toEqual([]);
    const counts = owners.map((owner) => [...platform.tokens.values()].filter((each) => each === owner).length);
    expect(levelAsked.length).toBeGreaterThan(PRINCIPALS);
    expect(counts).toEqual(owners.map((owner) => SESSIONS + 1 + levelAsked.filter((each) => each === owner).length));
  });
});

it('what principals leave on disk is found by its own principal, in whatever session, and by no other', async () => {
  const dir = temporaryFolder();
  const running = await openService({ signIn: spokenSignIn, settings: { DATA_DIR: dir } });
  onTestFinished(() => running.close());
  const call = async (who: string, name: string, args: object) =>
    (await post2026(running.url, 'tools/call', { name, arguments: args }, bearer(who))).message;
  const planned = await call('anna', 'plan_export', { fields: ['browser'], frequency: 'daily', name: 'Of anna' });
  const planId = /"planId":"([^"]+)"/.exec(JSON.stringify(planned))?.[1];
  expect(planId).toBeDefined();
  const stolen = await call('ben', 'apply_export_plan', { planId, confirm: true });
  expect(stolen).toHaveProperty('result.isError', true);
  const list = JSON.stringify(await call('anna', 'list_export_jobs', { limit: 100 }));
  expect(list).not.toContain('Of anna');
  const session = await openRawSession(running.url, bearer('anna'));
  const applied = await post(
    running.url,
    { id: 8, method: 'tools/call', params: { name: 'apply_export_plan', arguments: { planId, confirm: true } } },
    session,
  );
  expect(applied.message).toHaveProperty('result.structuredContent.status', 'done');
});

it('what principals leave on disk takes no room of another, who does not hear how much it is', async () => {
  const running = await openService({ signIn: spokenSignIn, settings: { DATA_DIR: temporaryFolder(), DATA_QUOTA_MB: '1' } });
  onTestFinished(() => running.close());
  const call = async (who: string, name: string, args: object) =>
    (await post2026(running.url, 'tools/call', { name, arguments: args }, bearer(who))).message?.['result'];
  const { structuredContent } = (await call('anna', 'list_workspace', {})) as { structuredContent: { directory: string } };
  mkdirSync(structuredContent.directory, { recursive: true });
  writeFileSync(join(structuredContent.directory, 'large'), Buffer.alloc(1_000_000));
  expect(JSON.stringify(await call('anna', 'download_export_run', { jobId: 'Daily sessions' }))).toContain('No room for another');
  expect(await call('ben', 'list_workspace', {})).toHaveProperty('structuredContent.usedBytes', 0);
  expect(await call('ben', 'download_export_run', { jobId: 'Daily sessions' })).toHaveProperty('structuredContent.state', 'complete');
});
