import { expect, test } from 'vitest';
import { operations } from '../../src/api/operations/index.ts';
import { decodeRequest, encodeRequest, joinedPreview, pathNames, previewOf, sharedMembers } from '../../src/api/wire.ts';

const { createSpeedEvent, getExportRun, listSegments } = operations;

test('the parts of an input travel in path, query and body, and come back', () => {
  expect(pathNames('/v1/{a}/x/{b_2}')).toEqual(['a', 'b_2']);
  expect(encodeRequest(listSegments, { ids: [1, 2], name: 'a+b c', gone: undefined })).toEqual({
    target: '/v1/segments?ids=1%2C2&name=a%2Bb%20c',
  });
  expect(encodeRequest(listSegments, {})).toEqual({ target: '/v1/segments' });
  expect(encodeRequest(createSpeedEvent, { key: 'a', text: undefined })).toEqual({ target: expect.any(String), body: { key: 'a' } });
  expect(decodeRequest(listSegments, {}, { ids: '1,x', projectId: '7', odd: '8' }, { more: 1 })).toEqual({
    ids: [1, 'x'],
    projectId: 7,
    odd: '8',
    more: 1,
  });
  expect(decodeRequest(listSegments, { projectId: ' ' }, {})).toEqual({ projectId: ' ' });
});

test('the parts of an input that no address can carry are refused', () => {
  expect(encodeRequest(getExportRun, { jobId: 5, runId: 'a b', state: 'x' })).toEqual({ target: '/v1/exports/5/runs/a%20b?state=x' });
  for (const jobId of ['', '.', '..', 'a/b', 'a\\b'])
    expect(() => encodeRequest(getExportRun, { jobId, runId: 1 })).toThrow(`jobId: "${jobId}" cannot be part of a path; expected an id`);
  expect(encodeRequest(getExportRun, { jobId: '...', runId: 'a.b' })).toEqual({ target: '/v1/exports/.../runs/a.b' });
  expect(() => encodeRequest(listSegments, { name: '\uD800' })).toThrow('name: the text is not valid Unicode');
});

test('the preview of a write is what would be sent', () => {
  const input = { key: 'release', text: 'Release', date: '2026-11-20T10:00:00Z' };
  expect(previewOf(createSpeedEvent, input, 7)).toMatchObject({ method: 'POST', project: 7, body: { key: 'release' } });
  expect(previewOf(createSpeedEvent, input, undefined)).not.toHaveProperty('project');
});

test('the preview of a write of several writes names what they share once', () => {
  expect(sharedMembers([])).toEqual({ body: {} });
  expect(sharedMembers([{ a: 1 }])).toEqual({ body: { a: 1 } });
  expect(
    sharedMembers([
      { a: [1], b: 1, c: 1 },
      { a: [1], b: 2, c: 1 },
      { a: [1], b: 2 },
    ]),
  ).toEqual({
    body: { a: [1] },
    each: [{ b: 1, c: 1 }, { b: 2, c: 1 }, { b: 2 }],
  });
  const first = { method: 'POST', path: '/x', project: 7, warning: 'Careful.' };
  expect(
    joinedPreview([
      { ...first, body: { a: 1, b: 1 } },
      { ...first, body: { a: 1, b: 2 } },
    ]),
  ).toEqual({
    ...first,
    body: { a: 1 },
    each: [{ b: 1 }, { b: 2 }],
  });
  expect(joinedPreview([first])).toEqual({ ...first, body: {} });
});
