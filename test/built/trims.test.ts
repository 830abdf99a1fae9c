import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { Client } from '@modelcontextprotocol/client';
import Holidays from 'date-holidays';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isRecord } from '../../src/lib/is-record.ts';
import { alteredPlatform } from '../support/altered-platform.ts';
import { sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { temporaryFolder } from '../support/folder.ts';
import { decode, inked } from '../support/picture.ts';
import { printedBy } from '../support/printed.ts';
import { DEMO, type ServerProcess, startHttpServer, startServer } from '../support/stdio.ts';
import { listen } from '../support/stub-platform.ts';

const platform = sharedPlatform({ start: new Date().toISOString() });
const altered = alteredPlatform(platform);
const source = sharedAssistant(platform);

let server: ServerProcess;
const client = new Client({ name: 'host', version: '1' });

beforeAll(async () => {
  server = await startServer([...DEMO, '--time-zone', 'Europe/Paris']);
  await client.connect(server.transport());
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });

/** Arguments of a question whose answer can be drawn. */
const DRAWN = { metrics: ['visits'], startDate: '-7d', endDate: 'yesterday', breakdown: ['day'], chart: true };

describe('the built server', () => {
  it('lists the tools that its sources list: the build has put them in as text', async () => {
    const [built, ours] = await Promise.all([client.listTools(), source().client.listTools()]);
    expect(built.tools.length).toBeGreaterThan(50);
    expect(built.tools).toEqual(ours.tools);
  });

  it('finds the native part of DuckDB, with values of all kinds and the functions of the product', { tags: 'nightly' }, async () => {
    await call('sync_exports', { jobIds: ['Daily sessions'], since: '-2d' });
    const sql =
      "SELECT count(*) > 0 AS some, max(session_time) IS NOT NULL AS known, DATE '2026-01-02' AS day, 12.50::DECIMAL(9,2) AS money, " +
      "9007199254740993::BIGINT AS id, [1, 2] AS list, {'a': 'b'} AS pair, NULL AS nothing, INTERVAL 1 HOUR AS span FROM data";
    const answer = await call('query_export', { jobId: 'Daily sessions', sql });
    expect(answer.structuredContent).toMatchObject({
      rows: [[true, true, '2026-01-02', '12.50', '9007199254740993', '[1,2]', '{"a":"b"}', null, '01:00:00']],
    });
  });

  it('has the font of pictures, and the renderer from beside it', { tags: 'nightly' }, async () => {
    const { content } = await call('query_metrics', DRAWN);
    const image = content.find((block) => block.type === 'image');
    const picture = decode(Buffer.from(image?.type === 'image' ? image.data : '', 'base64'));
    expect(inked(picture, [12, 8, 220, 28])).toBeGreaterThan(0.05); // the title: text is drawn only where its font is found
  });

  it.each(['chart', 'overview'])('has the view %s as one page, filled in', { tags: 'nightly' }, async (view) => {
    const { contents } = await client.readResource({ uri: `ui://web-analytics/${view}` });
    const page = contents[0] && 'text' in contents[0] ? contents[0].text : '';
    const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(page) ?? [];
    expect(script.length).toBeGreaterThan(100_000);
    expect(() => new Script(script.replaceAll('<\\/script', '</script'))).not.toThrow();
    expect(page.replace(script, '')).not.toMatch(/<!-- |\/\* style|src="view\.js"/);
  });

  it('knows the same holidays as the package, before and after the years of the zones that it brings', { tags: 'nightly' }, async () => {
    const names = readdirSync('dist/chunks').filter((name) => readFileSync(join('dist/chunks', name), 'utf8').includes('getHolidays('));
    const chunks = await Promise.all(names.map((name) => import(pathToFileURL(resolve('dist/chunks', name)).href)));
    const shipped: { default: typeof Holidays } = chunks.find((chunk) => typeof chunk.default === 'function');
    const daysBy = (Calendar: typeof Holidays) =>
      ['DE', 'FR', 'GB', 'US', 'BR', 'JP', 'AU', 'IN', 'IL', 'TR', 'IR'].flatMap((country) => {
        const calendar = new Calendar(country, { types: ['public', 'observance'], languages: ['en'] });
        return [2012, 2019, 2026, 2031, 2038].flatMap((year) =>
          calendar.getHolidays(year).map(({ date, name }) => `${country} ${date} ${name}`),
        );
      });
    expect(daysBy(shipped.default).length).toBeGreaterThan(500);
    expect(daysBy(shipped.default)).toEqual(daysBy(Holidays));
  });

  it('inspects a large file in a thread of its own', { tags: 'nightly' }, async () => {
    const rows = 34_000;
    const body = `{"sessionId":"1","filler":"${'x'.repeat(1000)}"}\n`.repeat(rows);
    const { url } = await listen((_request, response) => response.end(body));
    altered.alterBy((payload) => {
      if (!isRecord(payload) || !Array.isArray(payload['files'])) return payload;
      const [first] = payload['files'] as Record<string, unknown>[];
      return { ...payload, files: [{ ...first, url, fileSize: body.length }] };
    });
    const { clientId, clientSecret } = platform().credentials.shop;
    const args = ['call', 'download_export_run', '{"jobId":"Daily sessions"}', '--data-dir', temporaryFolder()];
    const printed = await printedBy('dist', args, {
      WEB_ANALYTICS_AUTH_URL: altered.platform().authUrl,
      WEB_ANALYTICS_CLIENT_ID: clientId,
      WEB_ANALYTICS_CLIENT_SECRET: clientSecret,
    });
    expect(JSON.parse(printed)).toMatchObject({ state: 'complete', files: [{ bytes: body.length, rows }] });
  });

  it('sends with the client of ClickHouse, which is CommonJS', { tags: 'nightly' }, async () => {
    const { url } = await listen((_request, response) => {
      response
        .writeHead(403, { 'x-clickhouse-exception-code': '516' })
        .end('Code: 516. DB::Exception: canary: Authentication failed. (AUTHENTICATION_FAILED)');
    });
    const printed = await printedBy('dist', ['doctor'], {
      WEB_ANALYTICS_AUTH_URL: 'http://127.0.0.1:1',
      WEB_ANALYTICS_CLIENT_ID: 'id',
      WEB_ANALYTICS_CLIENT_SECRET: 'secret',
      WEB_ANALYTICS_WAREHOUSE_URL: `${url.replace('//', '//loader@')}/exports`,
      WEB_ANALYTICS_WAREHOUSE_READER: 'reader',
    });
    expect(printed).toMatch(/✗ warehouse: ClickHouse refuses the user \w+: .*canary/);
  });

  it('has the client of Redis', { tags: 'nightly' }, async () => {
    const printed = await printedBy('dist', ['doctor', '--demo'], {
      WEB_ANALYTICS_CACHE_URL: 'redis://127.0.0.1:1',
      WEB_ANALYTICS_CACHE_KEY: Buffer.alloc(32, 1).toString('base64'),
    });
    expect(printed).toMatch(/✗ cache: .*ECONNREFUSED/);
  });

  it('counts for Prometheus', { tags: 'nightly' }, async () => {
    const token = 'x'.repeat(40);
    const { url, stop } = await startHttpServer(DEMO, { WEB_ANALYTICS_METRICS_TOKEN: token });
    onTestFinished(async () => void (await stop()));
    const answer = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${token}` } });
    expect(await answer.text()).toMatch(/^# TYPE \w+ (counter|histogram|gauge)$/m);
  });
});

it('has a test in this folder for all that the build trims, swaps or leaves outside', () => {
  const build = readFileSync('.ci/build.mjs', 'utf8');
  const found = (pattern: RegExp) => [...build.matchAll(pattern)].map(([, name]) => name);
  expect(found(/^  name: '([\w-]+)',$/gm)).toEqual(['parts-of-undici', 'native-part-of-duckdb', 'zones-of-ten-years']);
  expect(found(/external: \[([^\]]*)\]/g)).toEqual(["'@resvg/resvg-js'"]);
  expect(found(/define: \{ (\w+)/g)).toEqual(['LISTED_TOOLS']);
  expect(found(/([\w-]+)'?: 'src\//g)).toEqual(['main', 'sql-process']);
  expect(found(/`\$\{staged\}\/([\w/]+\.\w+)`/g)).toEqual(['fonts/DejaVuSans.ttf']);
});

it('the built server without any package beside it answers, and says which package SQL and pictures need', {
  tags: 'nightly',
}, async () => {
  const folder = join(temporaryFolder(), 'dist');
  cpSync('dist', folder, { recursive: true });
  const [doctor, drawn] = await Promise.all([
    printedBy(folder, ['doctor', ...DEMO], {}),
    printedBy(folder, ['call', 'query_metrics', JSON.stringify(DRAWN), ...DEMO], {}),
  ]);
  expect(doctor).toMatch(/– sql-engine: query_export cannot answer\. .*npm install @duckdb\/node-api@/);
  expect(doctor).toMatch(/– pictures: Charts come without an image\. .*npm install @resvg\/resvg-js@/);
  expect(doctor).toContain('✓ get_site_visits: visits of the last 7 days: ');
  expect(JSON.parse(drawn)).toMatchObject({ rows: expect.any(Array), chart: { kind: 'trend' } });
});
