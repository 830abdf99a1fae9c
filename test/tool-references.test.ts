import { parseAst } from 'vite';
import { expect, it } from 'vitest';
import { toolsets } from '../tools/index.ts';
import { filesBelow, textOf } from './support/sources.ts';

const toolNames = toolsets.flatMap(({ tools }) => tools.map(({ name }) => name));

/**
 * Texts that no caller reads with a tool missing: commands, the makers of documents, prompts (they are offered only where all their tools
 * are), and the reference, which is about everything that there is.
 */
const WHOLE = /^src\/(?:commands|emulator|generate|prompts|resources\/(?:reference-topics|reference)\.ts|lib\/tool-name\.ts)/;

interface SyntaxNode {
  readonly type: string;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is SyntaxNode => typeof value === 'object' && value !== null && 'type' in value;
const childrenOf = (node: SyntaxNode) => Object.values(node).flat().filter(isNode);

/** The text of a literal, or of a piece of a template. */
function textIn(node: SyntaxNode): string {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  const { cooked } = node.type === 'TemplateElement' ? (node['value'] as { cooked?: string }) : {};
  return cooked ?? '';
}

/** The words of a text that are names of tools. */
const namesIn = (text: string) => toolNames.filter((name) => new RegExp(`(?<![\\w/-])${name}\\b(?!\\()`).test(text));

/** Names of tools in sentences of a file outside a hint at them; a text that is such a name and nothing else is a value. */
function bareNames(code: string): string[] {
  const bare: string[] = [];
  const walk = (node: SyntaxNode, hinted: readonly string[]): void => {
    const text = textIn(node);
    if (!toolNames.includes(text)) bare.push(...namesIn(text).filter((name) => !hinted.includes(name)));
    const { callee, arguments: given } = node as { callee?: { name?: string }; arguments?: readonly SyntaxNode[] };
    const ofHint = callee?.name === 'hint' && given?.[0] ? [...hinted, ...literalsOf(given[0])] : hinted;
    for (const child of childrenOf(node)) walk(child, ofHint);
  };
  walk(parseAst(code, { lang: 'ts' }) as unknown as SyntaxNode, []);
  return bare;
}

function literalsOf(node: SyntaxNode): string[] {
  return [textIn(node), ...childrenOf(node).flatMap(literalsOf)];
}

it('are hints, so that none leads to a tool that is switched off', { tags: 'nightly' }, () => {
  const files = filesBelow('src', 'tools').filter((path) => path.endsWith('.ts') && !WHOLE.test(path));
  const found = files.flatMap((path) => {
    const text = textOf(path);
    if (namesIn(text).length === 0) return [];
    const own = path.startsWith('tools/') ? path.replace(/.*\/|\.ts$/g, '').replaceAll('-', '_') : '';
    return bareNames(text).flatMap((name) => (name === own ? [] : [`${path}: ${name}`]));
  });
  expect(found).toEqual([]);
});

it.each([
  ["note('Call list_goals.')", ['list_goals']],
  ['note(`Call ${hint("list_goals", "list_goals")} or list_zones ${x}.`)', ['list_zones']],
  ["note(hint('list_goals', 'list_zones shows them'))", ['list_zones']],
  ["note(hint(['list_goals', 'list_zones'], `list_goals of ${x} and list_zones`))", []],
  ["const idsFrom = 'list_goals'; const header = 'www-authenticate, list_goals_total';", []],
])('are found in %s', (code, names) => {
  expect(bareNames(code)).toEqual(names);
});
