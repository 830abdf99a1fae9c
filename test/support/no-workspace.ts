import type { WorkspaceOptions } from '../../src/tooling/session.ts';

/** For sessions that download nothing. */
export const NO_WORKSPACE: WorkspaceOptions = { dir: '/nowhere', quotaMb: 1, principal: 'local', authUrl: () => '' };

/** The options of a session that downloads nothing, beside its clock and its connection. */
export const PLAIN_SESSION = { timeZone: 'UTC', maxResultTokens: 20_000, rawHar: false, workspace: NO_WORKSPACE };
