import type { Har, HarEntry, HarSummary } from '../har/index.ts';
import { collectSummary } from '../har/summary.ts';
import { type Answers, collectAnswers } from './answers.ts';
import { type Blocking, collectBlocking } from './blocking.ts';
import type { EntityOf } from './entities.ts';
import { collectParties, type PartyGroup } from './parties.ts';
import { collectTransport, type HostTransport } from './transport.ts';

/** What is known of a HAR file beyond its summary, worked out once for all views. */
export interface HarStudy {
  readonly har: Har;
  readonly summary: HarSummary;
  /** The document and the redirects that led to it. */
  readonly main: ReadonlySet<HarEntry>;
  readonly blocking: Blocking;
  readonly parties: readonly PartyGroup[];
  readonly hosts: readonly HostTransport[];
  readonly answers: Answers;
}

/** Studies a HAR file in one pass: on a large one, looking at each request is what takes time. The entities give the names of third parties. */
export function studyHar(har: Har, entityOf: EntityOf): HarStudy {
  const main = new Set(har.document ? [...har.redirects, har.document] : []);
  const [summary, blocking] = [collectSummary(har, { top: 3, errors: 3 }), collectBlocking(har)];
  const [parties, transport, answers] = [collectParties(entityOf), collectTransport(), collectAnswers(main)];
  for (const entry of har.entries) {
    summary.add(entry);
    blocking.add(entry);
    parties.add(entry);
    transport.add(entry);
    answers.add(entry);
  }
  const found = blocking.blocking();
  return {
    har,
    summary: summary.summary(),
    main,
    blocking: found,
    parties: parties.groups(found.entries),
    hosts: transport.hosts(),
    answers: answers.answers(),
  };
}
