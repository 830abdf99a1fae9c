import { expect, it } from 'vitest';
import { passWaiting } from '../../support/pass-waiting.ts';
import { useTools } from '../support.ts';

const { call, platform } = useTools();

const of = (from: string, before: string) =>
  `SELECT browser_name, count(*) AS n FROM sessions WHERE session_time >= '${from}' AND session_time < '${before}' GROUP BY ALL`;
const planIn = (text: string) => /apply_export_plan \{"planId":"(plan-[a-z0-9]{10})","confirm":true\}/.exec(text)?.[1] ?? '';

it('files on their way that hold a part of the days are not waited for: what is there answers beside a plan of the rest', async () => {
  const first = planIn((await call('query_export', { sql: of('2026-11-11', '2026-11-14') })).text);
  const applied = await passWaiting(platform(), call('apply_export_plan', { planId: first, confirm: true }));
  expect(applied.structured).toMatchObject({ status: 'done', files: 'under way' });
  // The clock stands still: a call that waited would never end.
  const { text } = await call('query_export', { sql: of('2026-11-09', '2026-11-14') });
  expect(text).toMatch(/A once export that brings what is missing is planned \("Sessions JSONL 2026-11-09 to 2026-11-10", /);
  expect(text).toMatch(/On the way, but not all of it: "Sessions JSONL 2026-11-11 to 2026-11-12": (?:it waits|the platform computes it)/);
  expect(text).toMatch(/^The downloads cover only 1 of the 5 days, on 13 Nov\./);
  expect(planIn(text)).not.toBe(first);
  expect(text).not.toContain('ask the same again, which waits for them');
});
