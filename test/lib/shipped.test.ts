import { expect, it } from 'vitest';
import { shippedFile } from '../../src/lib/shipped.ts';

it.each(['file:///opt/dist/src/src/lib/shipped.ts', 'file:///opt/dist/src/dist/main.js', 'file:///opt/dist/src/dist/chunks/chunk-A.js'])(
  'a shipped file is found from %s',
  (from) => {
    expect(shippedFile('views/chart.html', from).href).toBe('file:///opt/dist/src/dist/views/chart.html');
  },
);
