import { analyseHar } from '../../../src/har/answer/analyse-har.ts';
import { HAR_VIEWS, type HarAnswer, harAnswerShape, harDigest } from '../../../src/har/answer/har-answer.ts';
import type { HarQuery } from '../../../src/har/answer/har-query.ts';
import { digestHar } from '../../../src/har/answer/summary-view.ts';
import { compareHars } from '../../../src/har/compare/compare-hars.ts';
import { comparisonShape } from '../../../src/har/compare/har-comparison.ts';
import { type Har, readHar } from '../../../src/har/read/read-har.ts';
import type { PaintTimes } from '../../../src/har/requests/largest-paint.ts';
import { studyHar } from '../../../src/har/requests/study-har.ts';
import { loadEntities } from '../../../src/har/requests/third-parties.ts';

const entityOf = await loadEntities();

/** One view of a file with its notes, checked against its shape: a member that the shape does not know is an error. */
export function view(file: unknown, query: HarQuery = {}, paints?: PaintTimes): HarAnswer & { notes: readonly string[] } {
  return viewOf(readHar(file), query, paints);
}

/** As `view`, of a file that is read already. */
export function viewOf(har: Har, query: HarQuery, paints?: PaintTimes): HarAnswer & { notes: readonly string[] } {
  const { answer, notes } = analyseHar(har, query, entityOf, paints);
  return { ...harAnswerShape.strict().parse(answer), notes };
}

/** The digest of a file that is read already, with its notes. */
export function digestOf(har: Har) {
  const { digest, notes } = digestHar(studyHar(har, () => null));
  return { ...harDigest.parse(digest), notes };
}

/** What two files differ in, with the notes, checked likewise. */
export function comparison(before: unknown, after: unknown) {
  return comparisonOf(readHar(before), readHar(after));
}

/** As `comparison`, of files that are read already. */
export function comparisonOf(before: Har, after: Har) {
  const { comparison: compared, notes } = compareHars([{ har: before }], [{ har: after }], entityOf);
  return { ...comparisonShape.strict().parse(compared), notes };
}

/** All that can be said of a file: every view with all its rows, and each request by itself. */
export function everything(file: unknown): unknown[] {
  const har = readHar(file);
  const views = HAR_VIEWS.map((name) => viewOf(har, { view: name, limit: 100_000 }));
  const first = viewOf(har, { limit: 1 });
  const rest: unknown[] = [];
  for (let cursor = first.page?.cursor; cursor !== undefined; ) {
    const next = viewOf(har, { limit: 1, cursor });
    rest.push(next);
    cursor = next.page?.cursor;
  }
  return [...views, first, ...rest];
}
