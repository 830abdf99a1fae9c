import type { Subjects, Table, Trial } from '../tables.ts';
import { blamed } from './metrics/blamed.ts';
import { falseAlarms } from './metrics/false-alarms.ts';
import { found } from './metrics/found.ts';
import { foundChanges } from './metrics/found-changes.ts';
import { scanned } from './metrics/scanned.ts';
import { speedVerdicts } from './speed/index.ts';
import { speedLimits } from './speed/limits.ts';

async function* metricVerdicts(trial: Trial): AsyncGenerator<Table> {
  for (const tableOf of [falseAlarms, found, blamed, scanned, foundChanges]) yield await tableOf(trial);
}

/** What can be asked of the engines: generated worlds, judged, as in `verdicts speed --worlds 300 --seed 1 --cell 'stable, 1 h'`. */
export const VERDICTS: Subjects = { metrics: metricVerdicts, speed: speedVerdicts, 'speed-limits': speedLimits };
