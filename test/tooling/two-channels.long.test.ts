/** @module-tag nightly */
import { beforeAll, describe, expect, it } from 'vitest';
import { resolveDate } from '../../src/lib/dates.ts';
import { isRecord } from '../../src/lib/is-record.ts';
import { unrendered } from '../../src/lib/strangers-text.ts';
import { renderText } from '../../src/tooling/results.ts';
import { toolsets } from '../../tools/index.ts';
import type { ToolAnswer } from '../support/assistant.ts';
import { fetchExports, quickCalls, SLOW_CALLS, type ToolCall } from '../support/many-calls.ts';
import { inFullRun, inTurn } from '../support/sample-size.ts';
import { useTools } from '../tools/support.ts';

type Leaf = readonly [path: readonly string[], value: unknown];

/** Every scalar of an answer with its path. */
function leavesOf(value: unknown, path: readonly string[] = []): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, String(index)]));
  if (isRecord(value)) return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
  return value === null || value === undefined ? [] : [[path, value]];
}

function changedAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return otherThan(value);
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === name ? changedAt(item, rest) : item));
  return isRecord(value) ? { ...value, [name]: changedAt(value[name], rest) } : value;
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'number') return value * 1.07 + 1;
  return typeof value === 'boolean' ? !value : `${String(value)} otherwise`;
}

/** Numbers as a reader finds them; a sign counts where it is none between two dates. */
function numbersIn(text: string): number[] {
  return [...text.replaceAll(/(?<=\d),(?=\d{3}\b)/g, '').matchAll(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi)].map(([each]) => Number(each));
}

/** What of a number may be lost when it is written: three digits stay. */
const ROUNDING = 0.005;

function isWritten(value: unknown, text: string, numbers: readonly number[]): boolean {
  if (typeof value === 'number') return numbers.some((each) => Math.abs(each - value) <= ROUNDING * Math.abs(value) + 1e-12);
  if (typeof value !== 'string') return true;
  const plain = unrendered(value.replaceAll(/\s+/g, ' '));
  const short = plain.replace(/(T\d\d:\d\d)(:\d\d)?\.000Z$/, '$1').replace(/(T\d\d:\d\d):00Z$/, '$1');
  return [plain, short, JSON.stringify(plain).slice(1, -1)].some((each) => text.replaceAll(/\s+/g, ' ').includes(each.trim()));
}

/** Words that would send a reader of one channel to the other. */
const OTHER_CHANNEL = /structured ?content|the text (all|counts|shows|leaves)|(in|of) (this|the) text\b/i;

const INSTANT = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g;

/** Instants that could not be passed on as an argument: without a zone, or refused. */
function unusable(text: string): string[] {
  return [...text.matchAll(INSTANT)].flatMap(([instant, zone]) => {
    if (zone === undefined) return [`${instant} has no zone`];
    const resolved = resolveDate(instant, { edge: 'start', timeZone: 'UTC', nowMs: Date.parse('2027-01-01T00:00:00Z'), allowFuture: true });
    return Number.isFinite(resolved.instantMs) ? [] : [`${instant} is not understood`];
  });
}

/** What of a range its line in the text lacks: the first and the last day, the length and the zone. */
function unsaidOf({ start, end, days, timeZone }: Readonly<Record<string, unknown>>, text: string): string[] {
  // A range of exports ends with the midnight after its last day: as sent in the one channel, in words in the other.
  const lastMs = Date.parse(String(end)) - (/T00:00(:00(\.000)?)?Z$/.test(String(end)) ? 1 : 0);
  const last = String(end).endsWith('Z') ? new Date(lastMs).toISOString() : String(end);
  const line = text.split('\n').find((each) => each.startsWith('- Range: ')) ?? '';
  const length = Number(days) < 1 ? ' (' : ` (${Number(days)} ${days === 1 ? 'day' : 'days'}, `;
  return [String(start).slice(0, 10), last.slice(0, 10), length, `, ${String(timeZone)})`].filter((words) => !line.includes(words));
}

/** What an answer holds in one channel alone; empty where both are whole. */
function onlyInOne({ structured, text, links }: ToolAnswer): unknown[] {
  const { chart: _drawn, range, ...data } = structured;
  const rendered = unrendered(renderText(data));
  // A getter's answer begins with one sentence on its figures.
  if (!text.endsWith(rendered) || !/^([A-Z\d].*\.\n)?$/.test(text.slice(0, text.length - rendered.length)))
    return ['the text is not made from the structured content'];
  const numbers = numbersIn(text);
  const unseen = leavesOf(data).filter(
    ([path, value]) => renderText(changedAt(data, path) as typeof data) === renderText(data) || !isWritten(value, text, numbers),
  );
  return [
    ...unseen,
    ...(isRecord(range) ? unsaidOf(range, text) : []).map((words) => `range: ${words}`),
    ...links.filter((uri) => !text.includes(uri) || !JSON.stringify(structured).includes(uri)),
    ...(OTHER_CHANNEL.exec(text) ?? []),
  ];
}

const { call, assistant } = useTools();
let calls: readonly ToolCall[] = [];

beforeAll(async () => {
  await fetchExports(assistant());
  calls = await quickCalls(assistant());
}, 240_000);

/** Tools whose answers hold instants as somebody else wrote them. */
const OWN_TEXTS: ReadonlySet<string> = new Set(['query_export']);

/** What calls say in one channel alone, with the call. */
async function oneSided(some: readonly ToolCall[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [tool, args] of some) {
    const answer = await call(tool, args);
    if (answer.isError) found.push({ tool, args, error: answer.text });
    else found.push(...onlyInOne(answer).map((fact) => ({ tool, args, fact })));
    // Rows of a statement, and names that people gave to jobs, are as they are.
    if (!OWN_TEXTS.has(tool)) found.push(...unusable(answer.text).map((instant) => ({ tool, args, instant })));
  }
  return found;
}

describe('both channels of an answer', () => {
  it('hold the same facts, from every tool', { timeout: 300_000 }, async () => {
    const tools = toolsets.flatMap((toolset) => toolset.tools).map(({ name }) => name);
    const called = new Set([...calls, ...SLOW_CALLS].map(([tool]) => tool));
    expect(tools.filter((name) => !called.has(name))).toEqual([]);
    expect(await oneSided(inTurn(calls, 0, 6).filter(([tool]) => !['apply_export_plan', 'delete_speed_event'].includes(tool)))).toEqual([]);
  });

  inFullRun(() => {
    it('hold the same facts where hundreds of series are judged', { timeout: 300_000 }, async () => {
      expect(await oneSided(SLOW_CALLS)).toEqual([]);
    });
  });
});
