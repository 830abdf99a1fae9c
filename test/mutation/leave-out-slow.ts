import { beforeEach } from 'vitest';

/** What measures time, or reads large files: hundreds of mutants would run it. */
const SLOW = /stays linear|cleaned quickly|is searched for as it is|\.har:/;

beforeEach((context) => {
  if (SLOW.test(context.task.name)) context.skip();
});
