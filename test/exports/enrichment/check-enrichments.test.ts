import { expect, it } from 'vitest';
import { spellingWords } from '../../../src/exports/enrichment/check-enrichments.ts';

it('warns of names that differ only in spelling, within a batch and from those sent before', () => {
  expect(spellingWords(['callReason', 'agent'], ['call_reason'])).toEqual([
    '"callReason" differs from "call_reason", which was sent before, only in spelling: the platform may keep them as two fields.',
  ]);
  expect(spellingWords(['Call Reason', 'call-reason'], [])).toEqual([
    '"call-reason" differs from "Call Reason" only in spelling: the platform may keep them as two fields.',
  ]);
});

it('says nothing of equal names and of other ones, nor again of a spelling that was sent before', () => {
  expect(spellingWords(['callReason', 'agent', 'agents'], ['callReason', 'call_reason'])).toEqual([]);
});
