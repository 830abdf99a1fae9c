import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { ask, call, platform } = useTools();

it('lists the segments', async () => {
  const answer = await call('list_segments');
  expect(answer.structured).toEqual({ segments: await ask('listSegments'), notes: [SHOP_NOTE] });
  expect(whole(answer)).toMatchSnapshot();
});

it('narrows them to ids', async () => {
  const { structured } = await call('list_segments', { ids: [440156, 440158] });
  expect(platform().requests.at(-1)?.url).toBe('/v1/segments?projectId=1201&ids=440156%2C440158');
  expect(structured['segments']).toMatchObject([{ name: 'Germany' }, { name: 'France' }]);
});
