import { markdownTable } from '../../lib/text-table.ts';
import type { Block } from '../../views/overview/blocks.ts';
import { panelsOf } from '../../views/spec.ts';
import type { ReportHead } from './report-page.ts';

/** Signs that would become markup. */
const plain = (text: string) => text.replaceAll(/[\\`*_[\]<>]/g, '\\$&');

function blockText({ title, headline, lines, table, chart }: Block): string {
  const pictures = chart ? panelsOf(chart).map((panel) => ('title' in panel ? panel.title : '')) : [];
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
export function reportMarkdown({ title, subtitle }: ReportHead, blocks: readonly Block[]): string {
  return `# ${plain(title)}\n\n${plain(subtitle)}\n\n${blocks.map(blockText).join('\n\n')}\n`;
}
