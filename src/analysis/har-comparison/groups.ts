import type { HarSummary, RequestTotals } from '../har/index.ts';
import { weightOf } from '../har/totals.ts';
import type { PartyGroup } from '../har-analysis/parties.ts';

/** What a group of requests was and became; null where no size is known. */
export interface GroupChange {
  readonly name: string;
  readonly requestsBefore: number;
  readonly requestsAfter: number;
  readonly transferBytesBefore: number | null;
  readonly transferBytesAfter: number | null;
  readonly contentBytesBefore: number | null;
  readonly contentBytesAfter: number | null;
}

interface Named {
  readonly name: string;
  readonly totals: RequestTotals;
}

const NOTHING = { requests: 0, transferBytes: 0, contentBytes: 0 };

function changesOf(before: readonly Named[], after: readonly Named[]): GroupChange[] {
  const earlier = new Map(before.map(({ name, totals }) => [name, totals]));
  const later = new Map(after.map(({ name, totals }) => [name, totals]));
  const names = [...new Set([...later.keys(), ...earlier.keys()])];
  const rows = names.map((name): GroupChange => {
    const was = earlier.get(name) ?? NOTHING;
    const is = later.get(name) ?? NOTHING;
    return {
      name,
      requestsBefore: was.requests,
      requestsAfter: is.requests,
      transferBytesBefore: was.transferBytes,
      transferBytesAfter: is.transferBytes,
      contentBytesBefore: was.contentBytes,
      contentBytesAfter: is.contentBytes,
    };
  });
  return rows.filter(hasChanged).toSorted((a, b) => changeOf(b) - changeOf(a));
}

function hasChanged(row: GroupChange): boolean {
  return row.requestsBefore !== row.requestsAfter || changeOf(row) >= 1000;
}

/** Bytes by which a group changed, either way. */
function changeOf(row: GroupChange): number {
  const was = weightOf({ transferBytes: row.transferBytesBefore, contentBytes: row.contentBytesBefore });
  const is = weightOf({ transferBytes: row.transferBytesAfter, contentBytes: row.contentBytesAfter });
  return Math.abs((is ?? 0) - (was ?? 0));
}

/** Parties that changed in requests or by at least 1,000 bytes, largest change first. */
export function partyChanges(before: readonly PartyGroup[], after: readonly PartyGroup[]): GroupChange[] {
  return changesOf(before, after);
}

/** Types that changed likewise. */
export function typeChanges(before: HarSummary, after: HarSummary): GroupChange[] {
  const named = ({ byType }: HarSummary) => byType.map(({ type, ...totals }) => ({ name: type, totals }));
  return changesOf(named(before), named(after));
}
