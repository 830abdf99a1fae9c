import { beforeEach } from 'vitest';

/** What measures time, draws hundreds of values or reads large files: hundreds of mutants would run it. */
const SLOW = new Set([
  'stays linear on hostile input',
  'long hostile texts are cleaned quickly and whole',
  'a secret of 30000 characters is searched for as it is, and is not shown by the search either',
  'a secret of 1000000 characters is searched for as it is, and is not shown by the search either',
  'is answered, and no change of a good token lets anybody in',
  'nine of ten segments in recordings',
  'gives a web address for a web address, with the same host, and is its own result',
  '31 MB of lists in lists',
]);

beforeEach((context) => {
  if (SLOW.has(context.task.name)) context.skip();
});
