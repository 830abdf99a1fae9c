import type { Block } from './blocks.ts';

/** Text that cannot become markup. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function tableHtml({ columns, rows }: NonNullable<Block['table']>): string {
  const isOfNumbers = (at: number) => rows.length > 0 && rows.every((row) => isNumber(row[at] ?? ''));
  const head = columns.map((column, at) => `<th scope="col"${isOfNumbers(at) ? ' class="number"' : ''}>${escaped(column)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell, at) => cellHtml(cell, columns[at] ?? '')).join('')}</tr>`).join('');
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

function isNumber(cell: string): boolean {
  return /^([-+]?[\d,.]*\d(%| [A-Z]{3})?|–)$/.test(cell);
}

/** A narrow page shows the name of a column before each of its cells. */
function cellHtml(cell: string, column: string): string {
  return `<td data-label="${escaped(column)}"${isNumber(cell) ? ' class="number"' : ''}>${escaped(cell)}</td>`;
}

/** A part of an overview as markup; `chart` is the markup of its picture. */
export function blockHtml(block: Block, chart = ''): string {
  const { id, title, headline, isFailure, lines, table } = block;
  const said = headline === '' ? '' : `<p class="${isFailure ? 'failure' : 'headline'}">${escaped(headline)}</p>`;
  const list = lines.length === 0 ? '' : `<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`;
  const rows = table && table.rows.length > 0 ? tableHtml(table) : '';
  return `<section id="${id}"><h2>${escaped(title)}</h2>${said}${list}${chart}${rows}</section>`;
}

/** The look of an overview, in the colours of the page around it. */
export const OVERVIEW_CSS = `
section { margin: 0 0 20px; padding: 16px 18px; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
h2 { margin: 0 0 8px; font-size: 1.05rem; letter-spacing: 0.01em; }
.headline { margin: 0 0 8px; font-size: 1.02rem; font-weight: 600; overflow-wrap: anywhere; }
.failure { margin: 0; color: var(--faint); overflow-wrap: anywhere; }
ul { margin: 0 0 8px; padding-left: 18px; }
li { margin: 3px 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-size: 0.93em; font-variant-numeric: tabular-nums; }
th { padding: 6px 8px; border-bottom: 1px solid var(--line); color: var(--faint); font-weight: 600; text-align: left; }
td { padding: 6px 8px; border-bottom: 1px solid var(--grid); overflow-wrap: anywhere; vertical-align: top; }
tr:last-child td { border-bottom: 0; }
th.number { text-align: right; }
td.number { text-align: right; white-space: nowrap; }
@media (max-width: 560px) {
  section { padding: 14px; border-radius: 10px; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody, tr, td { display: block; }
  tr { padding: 8px 0; border-bottom: 1px solid var(--grid); }
  tr:last-child { border-bottom: 0; }
  td, td.number { display: flex; gap: 12px; justify-content: space-between; padding: 2px 0; border: 0; }
  td, td.number { text-align: right; white-space: normal; }
  td::before { flex: none; color: var(--faint); content: attr(data-label); }
  td:first-child { font-weight: 600; text-align: left; }
  td:first-child::before { content: none; }
}
`;
