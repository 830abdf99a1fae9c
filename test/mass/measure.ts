import { filesBelow, textOf } from '../support/sources.ts';
import budgets from './budgets.json' with { type: 'json' };
import { tokensOf } from './tokens.ts';

/** How much code some files hold. */
interface Mass {
  readonly files: number;
  readonly lines: number;
  readonly tokens: number;
}

/** A room of the product beside what it may hold in the end. */
interface Room extends Mass {
  readonly name: string;
  readonly lineBudget: number;
  /** Its share of all tokens that the product may have, by lines. */
  readonly tokenBudget: number;
}

const sumOf = (parts: readonly Mass[]): Mass => ({
  files: parts.reduce((sum, { files }) => sum + files, 0),
  lines: parts.reduce((sum, { lines }) => sum + lines, 0),
  tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
});

const massOf = (paths: readonly string[]): Mass =>
  sumOf(paths.map(textOf).map((text) => ({ files: 1, lines: text.trimEnd().split('\n').length, tokens: tokensOf(text) })));

/** The rooms that a file counts to: one, unless the table of rooms is wrong. */
export function roomsOf(path: string): string[] {
  const holds = (folder: string) => path === folder || path.startsWith(`${folder}/`);
  return Object.entries(budgets.rooms).flatMap(([name, { folders }]) => (folders.some(holds) ? [name] : []));
}

/** Files of code of the product and of its tests. */
export const codeFiles = {
  product: filesBelow('src', 'tools').filter((path) => path.endsWith('.ts')),
  test: filesBelow('test').filter((path) => /\.m?ts$|\.mjs$/.test(path)),
};

/** The mass of each room, in the order of the table of rooms, and of the whole. */
export function measureMass(): { rooms: Room[]; product: Mass; test: Mass } {
  const lineSum = Object.values(budgets.rooms).reduce((sum, { lines }) => sum + lines, 0);
  const rooms = Object.entries(budgets.rooms).map(([name, { lines: lineBudget }]) => ({
    name,
    ...massOf(codeFiles.product.filter((path) => roomsOf(path).includes(name))),
    lineBudget,
    tokenBudget: Math.round((budgets.productTokens * lineBudget) / lineSum),
  }));
  return { rooms, product: sumOf(rooms), test: massOf(codeFiles.test) };
}
