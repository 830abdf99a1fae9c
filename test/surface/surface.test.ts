import { readdirSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { toolsets } from '../../tools/index.ts';
import { listing } from '../support/listing.ts';
import { readable } from '../support/readable.ts';

const { tools } = await listing();
const fileOf = (name: string) => `${name.replaceAll('_', '-')}.json`;

describe('what the model sees', () => {
  it.each(tools)('of $name is in its committed file (update with: vitest -u)', async (tool) => {
    await expect(`${readable(tool)}\n`).toMatchFileSnapshot(fileOf(tool.name));
  });

  it('has no file for a tool that is gone', () => {
    const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.json'));
    const listed = tools.map(({ name }) => fileOf(name));
    expect(files.filter((file) => !listed.includes(file))).toEqual([]);
  });
});

describe('what the tools cost in a context', () => {
  const TOTAL = 7_000;
  const EACH = 300;
  const LARGER: Readonly<Record<string, number>> = { create_export_job: 450 };

  const tokensOf = ({ name, description, inputSchema }: (typeof tools)[number]) =>
    encode(JSON.stringify({ name, description, inputSchema })).length;
  const tokens = new Map(tools.map((tool) => [tool.name, tokensOf(tool)]));
  const direct = toolsets.flatMap((toolset) => toolset.tools).flatMap(({ name, operation }) => (operation ? [name] : []));
  /** Room that stays free for the next small tool. */
  const HEADROOM = 0.05;
  const total = direct.reduce((sum, name) => sum + (tokens.get(name) ?? 0), 0);

  it(`is at most ${TOTAL} tokens for the ${direct.length} that stand for one operation each (now ${total})`, () => {
    expect(total, 'shorten words that many tools share in src/tooling/params.ts').toBeLessThanOrEqual(TOTAL * (1 - HEADROOM));
  });

  it('is no more for one tool than a few sentences', () => {
    const heavy = direct.filter((name) => (tokens.get(name) ?? 0) > (LARGER[name] ?? EACH) * (1 - HEADROOM));
    expect(heavy).toEqual([]);
  });
});
