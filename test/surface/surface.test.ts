import { readdirSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { toolsets } from '../../tools/index.ts';
import { listing } from '../support/listing.ts';
import { readable } from '../support/readable.ts';

const { tools } = await listing();
const fileOf = (name: string) => `${name.replaceAll('_', '-')}.json`;

it.each(tools)('what the model sees of $name is in its committed file (update with: vitest -u)', async (tool) => {
    await expect(`${readable(tool)}\n`).toMatchFileSnapshot(fileOf(tool.name));
  });

  it('what the model sees has no file for a tool that is gone', () => {
    const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.json'));
    const listed = tools.map(({ name }) => fileOf(name));
    expect(files.filter((file) => !listed.includes(file))).toEqual([]);
  });

describe('what the tools cost in a context', () => {
  const TOTAL = 6_650;
  const EACH = 285;
  const LARGER: Readonly<Record<string, number>> = { create_export_job: 425 };

  const tokensOf = (value: unknown) => encode(JSON.stringify(value)).length;
  const tokens = new Map(
    tools.map(({ name, description, inputSchema }) => [name, tokensOf({ name, description, inputSchema })] as const),
  );
  const direct = toolsets.flatMap((toolset) => toolset.tools).flatMap(({ name, operation }) => (operation ? [name] : []));
  const total = direct.reduce((sum, name) => sum + (tokens.get(name) ?? 0), 0);
  /** How to get below a ceiling. */
  const giveUp = (names: readonly string[], excess: number) => {
    const costs = names.map((name) => `${name} ${tokens.get(name)}`).join(', ');
    return `These tools cost ${excess} tokens more than there are. Shorten shared parameters (src/tooling/params.ts), or: ${costs}.`;
  };

  const now = `now ${total}, ${TOTAL - total} free`;

  it(`is at most ${TOTAL} tokens for the ${direct.length} that stand for one operation each (${now})`, () => {
    expect(total, giveUp(direct, total - TOTAL)).toBeLessThanOrEqual(TOTAL);
  });

  const ANSWERING = 5_767;
  const MOST = 450;
  const answering = tools.map(({ name }) => name).filter((name) => !direct.includes(name));
  const ofAnswering = answering.reduce((sum, name) => sum + (tokens.get(name) ?? 0), 0);
  const left = `now ${ofAnswering}, ${ANSWERING - ofAnswering} free`;

  it(`is at most ${ANSWERING} tokens for the ${answering.length} that answer questions (${left}), and ${MOST} for any`, () => {
    expect(ofAnswering, giveUp(answering, ofAnswering - ANSWERING)).toBeLessThanOrEqual(ANSWERING);
    expect([...tokens].filter(([, cost]) => cost > MOST)).toEqual([]);
  });

  it('is no more for one tool than a few sentences', () => {
    const heavy = direct.filter((name) => (tokens.get(name) ?? 0) > (LARGER[name] ?? EACH));
    expect(heavy).toEqual([]);
  });
});
