import { ApiError } from '../api/errors.ts';
import { defineResource } from '../tooling/resource.ts';
import type { WriteTopic } from './reference/dates-and-names.ts';

const topics: Readonly<Record<string, { title: string; load: () => Promise<{ default: WriteTopic }> }>> = {
  metrics: { title: 'Metrics: definitions and units', load: () => import('./reference/metrics.ts') },
  thresholds: { title: 'Thresholds of speed metrics', load: () => import('./reference/thresholds.ts') },
  limits: { title: 'Limits, and what the interface cannot answer', load: () => import('./reference/limits.ts') },
  'exportable-fields': { title: 'Exportable fields by scope', load: () => import('./reference/exportable-fields.ts') },
  'dates-and-names': { title: 'How dates and names are written', load: () => import('./reference/dates-and-names.ts') },
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
    const { default: write } = await found.load();
    return `# ${found.title}\n\n${await write(context)}\n`;
  },
});
