import { HOUR_MS } from '../lib/clock.ts';

/**
 * Choices that the reference leaves open, and departures of known deployments. By default the emulator follows the reference to the letter.
 */
export interface Deployment {
  /** Number of the first page of a list; the reference does not say. */
  readonly pagesFrom: 0 | 1;
  /** How long the files of a run are kept; only `expirationDate` of a run says it (section 2.2). */
  readonly fileLifeMs: number;
  /** The form of `filters` in a job's record: the device in the reference's shape, an empty object, or no such member. */
  readonly jobFilters: 'device' | 'empty' | 'absent';
  /** Runs of one job: in the order of their ids, or in any, since lists are ordered by `jobId` alone (section 4.2). */
  readonly runOrder: 'by id' | 'mixed';
  /** Formats, frequencies, scopes and states: as the reference writes them, or in any case. */
  readonly letterCase: 'exact' | 'any';
  /** Dates: in the two documented forms (section 1), or in others too. */
  readonly dates: 'documented' | 'any';
  /** Whether a run counts as one with error for the filter `error` when only a content check failed; older deployments say no. */
  readonly contentCheck: 'error' | 'no error';
  /** Whether `dateFrom` and `dateTo` leave out their own instant, as "after" and "before" say (section 4.1). */
  readonly dateBounds: 'exclusive' | 'inclusive';
  /** Whether an account-level credential with one project has to name it (section 5). */
  readonly onlyProject: 'named' | 'understood';
  /** Members and parameters that the reference does not list. */
  readonly unknownMembers: 'refused' | 'ignored';
}

/** The reference to the letter, with the usual choice where it leaves one. */
export const REFERENCE: Deployment = {
  pagesFrom: 1,
  fileLifeMs: 168 * HOUR_MS,
  jobFilters: 'device',
  runOrder: 'by id',
  letterCase: 'exact',
  dates: 'documented',
  contentCheck: 'error',
  dateBounds: 'exclusive',
  onlyProject: 'named',
  unknownMembers: 'refused',
};

/** All that deployments are known to forgive, at once. */
export const FORGIVING: Deployment = {
  ...REFERENCE,
  letterCase: 'any',
  dates: 'any',
  contentCheck: 'no error',
  dateBounds: 'inclusive',
  onlyProject: 'understood',
  unknownMembers: 'ignored',
};

/** The reference where it is least convenient: choices that it leaves open fall otherwise than clients are used to. */
export const BARE: Deployment = { ...REFERENCE, pagesFrom: 0, fileLifeMs: 72 * HOUR_MS, jobFilters: 'absent', runOrder: 'mixed' };
