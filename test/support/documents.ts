import { filesBelow } from './sources.ts';

/** Paths of the documents that people read. */
export const documentPages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'AGENTS.md',
  ...filesBelow('docs').filter((path) => path.endsWith('.md')),
];
