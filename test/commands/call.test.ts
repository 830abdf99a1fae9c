import { describe, expect, it, vi } from 'vitest';
import { call } from '../../src/commands/call.ts';
import { readWorldOptions } from '../../src/commands/emulator.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { captured } from './captured.ts';

const demo = readSettings({ WEB_ANALYTICS_DEMO: 'true' });
const world = await readWorldOptions({ clock: '2026-11-20T10:00:00Z' });
const run = (positionals: string[], settings = demo) => captured(() => call(settings, world, positionals));

describe('call', () => {
  it('writes the answer of one tool as JSON, and ends with 0', async () => {
    const { code, out, err } = await run(['get_site_visits', '{"startDate":"last_week","endDate":"last_week"}']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ columns: ['start', 'end', 'visits'], range: { days: 7 } });
  });

  it('writes the picture of a tool that draws, and says of others that they do not', async () => {
    const written: unknown[] = [];
    const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(chunk) > 0);
    const days = '{"metrics":["visits"],"breakdown":["day"],"startDate":"-7d"}';
    const code = await call(demo, world, ['query_metrics', days], 'png').finally(() => spy.mockRestore());
    expect(code).toBe(0);
    expect(
      Buffer.concat(written as Buffer[])
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    await expect(call(demo, world, ['list_scenarios'], 'png')).rejects.toThrow('--format png is for tools that draw');
  });

  it('reads large ids digit by digit', async () => {
    const { out } = await run([
      'send_enrichments',
      '{"enrichments":[{"userId":7310224081552637899,"sessionNumber":1,"enrichmentNumber":1,"enrichment":{"a":1}}]}',
    ]);
    expect(JSON.parse(out)).toMatchObject({ request: { body: { enrichments: [{ userId: '7310224081552637899' }] } } });
  });

  it('needs no arguments where the tool needs none', async () => {
    const { code, out } = await run(['list_scenarios']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      scenarios: expect.arrayContaining([{ id: 4101, name: 'Checkout – desktop', uri: 'analytics://1201/scenarios/4101' }]),
    });
  });

  it('writes a failure to stderr, nothing to stdout, and ends with 1', async () => {
    const { code, out, err } = await run(['get_mapping', '{"mappingId":"Nothing"}']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^mappingId: there is no mapping "Nothing"/);
  });

  it('sends a confirmed write only with confirm', async () => {
    const { events } = JSON.parse((await run(['list_speed_events'])).out) as { events: { key: string }[] };
    const key = events[0]?.key;
    const preview = await run(['delete_speed_event', JSON.stringify({ key })]);
    expect(JSON.parse(preview.out)).toMatchObject({ status: 'preview', request: { body: { key } } });
  });

  it('lists the tools where none is named', async () => {
    const { code, out } = await run([]);
    expect(code).toBe(0);
    expect(out).toMatch(/^insights:\n[^]*\nmetrics:\n[^]*\n {2}get_site_visits +Visits\n/);
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown tool', ['qqq'], /^call: no tool "qqq"; "call" alone lists the tools$/],
    ['a mistyped tool', ['list_goal'], /^call: no tool "list_goal"; did you mean list_goals\?$/],
    [
      'arguments that are no JSON',
      ['list_goals', '{projectId:1}'],
      /^the arguments are not valid JSON .*; write them in single quotes: call list_goals /,
    ],
    ['arguments in another form', ['list_goals', '[1]'], /^the arguments are \[1\], which is no JSON object; write them in single quotes/],
    [
      'arguments that the shell cut',
      ['list_goals', '{', 'a}'],
      /^call: expected one JSON text of arguments; quote it: call list_goals '{…}'/,
    ],
  ])('refuses %s', async (_, positionals, words) => {
    await expect(call(demo, world, positionals)).rejects.toThrow(words);
  });

  it('runs under a fault of the emulated world', async () => {
    const faulty = await readWorldOptions({ clock: '2026-11-20T10:00:00Z', fault: ['refused:listGoals'] });
    const { code, err } = await captured(() => call(demo, faulty, ['list_goals']));
    expect(code).toBe(1);
    expect(err).toContain('The request was refused.');
  });
});
