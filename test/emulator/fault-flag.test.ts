import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { faultKinds, parseFault } from '../../src/emulator/faults.ts';
import { withPlatform } from '../support/emulator.ts';

describe('--fault', () => {
  it('reads kind, operation and times', () => {
    expect(parseFault('rate-limit')).toEqual({ kind: 'rate-limit' });
    expect(parseFault('reset:createExportJob')).toEqual({ kind: 'reset', operation: 'createExportJob' });
    expect(parseFault('server-error::2')).toEqual({ kind: 'server-error', times: 2 });
    expect(parseFault('cut-download:download:1')).toEqual({ kind: 'cut-download', operation: 'download', times: 1 });
    expect(parseFault('slow')).toMatchObject({ kind: 'slow', delayMs: expect.any(Number) });
  });

  it.each([
    ['flood', `"flood" is not a fault; expected one of ${faultKinds.join(', ')}`],
    ['', '"" is not a fault'],
    ['reset:list_goals', '"list_goals" is not an operation'],
    ['reset:toString', '"toString" is not an operation'],
    ['reset:listGoals:often', '"often" is not a number of times'],
    ['reset:listGoals:0', '"0" is not a number of times'],
    ['reset:listGoals:1:2', 'expected kind[:operation[:times]]'],
  ])('refuses "%s"', (text, message) => {
    expect(() => parseFault(text)).toThrow(ApiError);
    expect(() => parseFault(text)).toThrow(message);
  });

  it('is set from the start where the flag asks for it', () =>
    withPlatform(async ({ token }) => expect(token('shop')).rejects.toThrow('500'), { faults: [parseFault('server-error:requestToken')] }));
});
