import { expect, it } from 'vitest';
import { connected } from './deployments.ts';

const QUESTIONS: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ['query_metrics', { metrics: ['visits'], startDate: 'last_week', endDate: 'last_week', breakdown: ['day'] }],
  ['analyze_scenario', { scenarioIds: [4101] }],
  ['find_objects', { text: 'checkout' }],
];

it('an account of one project is asked questions without a word of the project: tokens and queries name it', () =>
  connected(
    {},
    async ({ call }, { requests, credentials }) => {
      const [shop] = credentials.smallAccount.projects;
      for (const [tool, args] of QUESTIONS) expect(await call(tool, args)).toMatchObject({ isError: false });
      const tokens = requests.filter(({ operation }) => operation === 'requestToken');
      expect(tokens.map(({ body }) => body)).toMatchObject([{ project_id: shop?.id }]);
      const queries = requests.filter(({ url }) => /^\/v1\/(metrics|segments|goals|mappings|page-groups|zonings)/.test(url));
      expect(queries.length).toBeGreaterThan(5);
      for (const { url } of queries) expect(new URL(url, 'http://platform').searchParams.get('projectId')).toBe(String(shop?.id));
    },
    { assistant: { credential: 'smallAccount' } },
  ));
