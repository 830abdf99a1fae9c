import type { WorkspaceOptions } from '../../src/tooling/session.ts';

/** For sessions that download nothing. */
export const NO_WORKSPACE: WorkspaceOptions = { dir: '/nowhere', quotaMb: 1, principal: 'local', authUrl: () => '' };
