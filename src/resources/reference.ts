import { ApiError } from '../api/errors.ts';
import { defineResource } from '../tooling/resource.ts';
import type { WriteTopic } from './reference-topics.ts';

const topics: Readonly<Record<string, { title: string; writer: keyof typeof import('./reference-topics.ts') }>> = {
  metrics: { title: 'Metrics: definitions and units', writer: 'writeMetrics' },
  thresholds: { title: 'Thresholds of speed metrics', writer: 'writeThresholds' },
  limits: { title: 'Limits, and what the interface cannot answer', writer: 'writeLimits' },
  'exportable-fields': { title: 'Exportable fields by scope', writer: 'writeExportableFields' },
  enrichment: { title: 'Enrichment from scratch', writer: 'writeEnrichment' },
  'dates-and-names': { title: 'How dates and names are written', writer: 'writeDatesAndNames' },
  steps: { title: 'Steps of funnels and paths: how they are written and counted', writer: 'writeSteps' },
  'where-exports-go': {
    title: 'Where do my exports go: files, workspace, warehouse, other tools',
    writer: 'writeWhereExportsGo',
  },
  impact: { title: 'What conditions cost: how measure_impact compares', writer: 'writeImpact' },
};

export default defineResource({
  name: 'reference',
  title: 'Reference',
  description: `What holds whatever the question is, Markdown; needs no credential. Topics: ${Object.keys(topics).join(', ')}.`,
  mimeType: 'text/markdown',
  template: 'analytics://reference/{topic}',
  complete: { topic: () => Object.entries(topics).map(([value, { title }]) => ({ value, words: title })) },
  known: Object.entries(topics).map(([topic, { title }]) => ({
    variables: { topic },
    name: `reference_${topic.replaceAll('-', '_')}`,
    title,
  })),
  async read({ topic }, context) {
    const found = Object.hasOwn(topics, topic) ? topics[topic] : undefined;
    if (!found) throw new ApiError('missing', `there is no topic "${topic}"; there are ${Object.keys(topics).join(', ')}.`);
    const write: WriteTopic = (await import('./reference-topics.ts'))[found.writer];
    return `# ${found.title}\n\n${await write(context)}\n`;
  },
});
