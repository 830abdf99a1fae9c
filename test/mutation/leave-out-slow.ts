import { beforeEach } from 'vitest';

/** What measures time, draws hundreds of values or reads large files: hundreds of mutants would run it. */
const SLOW = /stays linear|no change of a good token|31 MB of lists|cleaned quickly|is searched for as it is|segments in recordings|gives a web address for/;

beforeEach((context) => {
  if (SLOW.test(context.task.name)) context.skip();
});
