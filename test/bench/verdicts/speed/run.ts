import { benchSpeedVerdicts } from './index.ts';

// node .ci/run-script.mjs test/bench/verdicts/speed/run.ts [worlds] [seed] [part of a cell's id]
const [worlds = '200', seed = '1', cell] = process.argv.slice(2);
benchSpeedVerdicts({ worlds: Number(worlds), seed: Number(seed), cell });
