import type { Looked } from '../engine/scan.ts';
import type { Study } from '../engine/study.ts';
import type { ChangeSeries, Place } from './change-series.ts';

/** Everything that was read and looked at. */
export interface Scene {
  readonly series: ReadonlyMap<string, ChangeSeries>;
  readonly studies: ReadonlyMap<string, Study>;
  /** All visitors that were asked for, with the main goal. */
  readonly base: Place;
  /** First and last day of the scan. */
  readonly from: string;
  readonly to: string;
}

/** Makes a scene of series and what was seen in them. */
export function sceneOf(series: readonly ChangeSeries[], looked: readonly Looked[], rest: Pick<Scene, 'base' | 'from' | 'to'>): Scene {
  return {
    series: new Map(series.map((each) => [each.id, each])),
    studies: new Map(looked.map(({ id, study }) => [id, study])),
    ...rest,
  };
}
