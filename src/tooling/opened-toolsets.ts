import type { Offer } from './tool.ts';

/** A toolset of a connection, and whether the scopes of its credential open it. */
export interface OpenedToolset {
  readonly toolset: string;
  /** `partly`: some of its tools need a scope that is missing. */
  readonly opened: 'yes' | 'partly' | 'no';
  /** Missing scopes, separated by commas. */
  readonly missing?: string;
}

/** Which of the offered toolsets the granted scopes open; enrichment may have a credential of its own. */
export function openedToolsets({ tools }: Offer, granted: readonly string[]): OpenedToolset[] {
  return [...new Set(tools.map(({ toolset }) => toolset))].map((toolset) => {
    const own = tools.filter((tool) => tool.toolset === toolset);
    const lacking = own.flatMap(({ scope }) => (scope !== undefined && !granted.includes(scope) ? [scope] : []));
    if (lacking.length === 0) return { toolset, opened: 'yes' };
    return { toolset, opened: lacking.length < own.length ? 'partly' : 'no', missing: [...new Set(lacking)].join(', ') };
  });
}
