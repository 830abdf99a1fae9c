import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS } from '../../lib/clock.ts';
import { resolveDate, todayIn } from '../../lib/dates.ts';
import { markdownTable } from '../../lib/text-table.ts';
import { type Settings, SettingsError } from '../../settings/settings.ts';
import { callTool } from '../../tooling/call-tool.ts';
import type { Session } from '../../tooling/session.ts';
import type { Offer } from '../../tooling/tool.ts';
import { momentWords, rangeIn } from '../../views/charts/values.ts';
import { type Block, blockOf, failureOf } from '../../views/overview/blocks.ts';
import { type OverviewAsked, type OverviewPart, overviewParts } from '../../views/overview/parts.ts';
import { panelsOf } from '../../views/spec.ts';
import { enabledTools, listedTools, loadTool } from '../catalogue.ts';
import type { WorldOptions } from '../emulator.ts';
import { openSession } from '../platform.ts';
import type { ReportHead } from './report-page.ts';

/** Signs that would become markup. */
const plain = (text: string) => text.replaceAll(/[\\`*_[\]<>]/g, '\\$&');

function blockText({ title, headline, lines, table, chart }: Block): string {
  const pictures = chart ? panelsOf(chart).map(({ title: named }) => named) : [];
  const parts = [
    `## ${plain(title)}`,
    headline === '' ? '' : plain(headline),
    [...lines, ...(headline === '' ? pictures : [])].map((line) => `- ${plain(line)}`).join('\n'),
    table && table.rows.length > 0
      ? markdownTable(
          table.columns,
          table.rows.map((row) => row.map(plain)),
        )
      : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The report as Markdown: the same words and tables, of pictures their titles. */
function reportMarkdown({ title, subtitle }: ReportHead, blocks: readonly Block[]): string {
  return `# ${plain(title)}\n\n${plain(subtitle)}\n\n${blocks.map(blockText).join('\n\n')}\n`;
}

const PERIODS = ['week', 'month', 'quarter'];
const MOST_DAYS = 92;

/** The days that `--last` names: complete ones before now, in the configured zone. */
export function periodOf(last: string, { nowMs, timeZone }: { readonly nowMs: number; readonly timeZone: string }): OverviewAsked {
  const dayAt = (text: string, edge: 'start' | 'end') => todayIn(timeZone, resolveDate(text, { edge, timeZone, nowMs }).instantMs);
  if (PERIODS.includes(last)) return { startDate: dayAt(`last_${last}`, 'start'), endDate: dayAt(`last_${last}`, 'end') };
  const days = Number(/^(\d{1,2})d?$/.exec(last)?.[1]);
  if (!(days >= 2 && days <= MOST_DAYS))
    throw new SettingsError(`--last "${last}" is wrong: expected ${PERIODS.join(', ')}, or 2 to ${MOST_DAYS} days such as 14`);
  return { startDate: dayAt(`-${days}d`, 'start'), endDate: dayAt('yesterday', 'end') };
}

const isOffered = ({ tool }: OverviewPart, { tools }: Offer) => tools.some(({ name }) => name === tool);

/** Asks the tool of one part; a part that cannot be had says why. */
async function blockFor(part: OverviewPart, asked: OverviewAsked, session: Session, offer: Offer, signal: AbortSignal): Promise<Block> {
  if (!isOffered(part, offer)) return failureOf(part, `${part.tool} is switched off by the settings.`);
  // All scenarios, however long that takes, where a conversation stops at the first screen.
  const isWhole = part.id === 'speed' && ({ whole: true } as const);
  const caller = { session, offer, signal, canAsk: false, single: true as const, ...isWhole };
  const outcome = await callTool(await loadTool(part.tool), part.args(asked), caller);
  if ('ask' in outcome || outcome.isError) return failureOf(part, 'ask' in outcome ? 'It asks for a confirmation.' : outcome.text);
  return blockOf(part, outcome.structured ?? {});
}

async function projectName(session: Session, projectId: number | undefined): Promise<string> {
  const client = await session.client();
  const { projects } = await client.credential();
  const id = projectId ?? (await client.projectId());
  return projects.find((project) => project.id === id)?.name ?? `Project ${id}`;
}

/** Some parts of a report failed; the others are in it. */
const PARTLY = 4;

/** Writes the report of a period as HTML and Markdown, and prints where; 1 where no part of it could be had, 4 where some could not. */
export async function report(
  settings: Settings,
  world: WorldOptions,
  { last = 'week', out = '.' }: { readonly last: string | undefined; readonly out: string | undefined },
): Promise<number> {
  const offer = enabledTools(await listedTools(), settings);
  await mkdir(out, { recursive: true }); // before a minute of questions whose answers could not be kept
  const session = openSession(settings, offer.tools, world);
  const interrupt = new AbortController();
  const stop = () => interrupt.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  try {
    const { clock, timeZone } = session.options;
    const asked = periodOf(last, { nowMs: clock.now(), timeZone });
    const name = await projectName(session, settings.projectId);
    const blocks: Block[] = [];
    let failed = 0;
    for (const part of overviewParts) {
      process.stderr.write(`${part.title} …\n`);
      const block = await blockFor(part, asked, session, offer, interrupt.signal);
      blocks.push(block);
      if (!block.isFailure || !isOffered(part, offer)) continue;
      failed += 1;
      process.stderr.write(`  failed: ${block.headline}\n`);
    }
    const days = Math.round((Date.parse(asked.endDate) - Date.parse(asked.startDate)) / DAY_MS) + 1;
    const head = {
      title: `${name}: ${rangeIn('UTC', Date.parse(asked.startDate), Date.parse(asked.endDate))}`,
      subtitle: `${days} days (${timeZone}), from the platform's interface on ${momentWords(todayIn(timeZone, clock.now()), 'day', true)}.`,
    };
    const { reportPage } = await import('./report-page.ts');
    const base = join(out, `report-${asked.startDate}-to-${asked.endDate}`);
    await Promise.all([writeFile(`${base}.html`, reportPage(head, blocks)), writeFile(`${base}.md`, reportMarkdown(head, blocks))]);
    process.stdout.write(`${base}.html\n${base}.md\n`);
    if (blocks.every(({ isFailure }) => isFailure)) return 1;
    return failed > 0 ? PARTLY : 0;
  } finally {
    process.off('SIGINT', stop);
    await session.close();
  }
}
