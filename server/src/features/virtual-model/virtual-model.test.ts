import { auditApi, type InputOf, virtualModelApi } from '@relay-hub/contract';
import { afterEach, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';

type Body = InputOf<typeof virtualModelApi.create>['body'];

const steps = [{ models: [{ model: 'gpt-4o' }] }];

onEveryDatabase('records of virtual models', (make) => {
  const hub = hubForSuite(make);
  const list = (keyword = '') => hub().root.call(virtualModelApi.list, { query: { keyword } });
  const add = (more: Partial<Body> = {}) =>
    hub().root.call(virtualModelApi.create, { body: { name: 'smart', steps, ...more } });

  afterEach(async () => {
    for (const { id } of (await list()).data) await hub().root.call(virtualModelApi.remove, { params: { id } });
  });

  test('each save is a version, and an earlier one can be saved again', async () => {
    const made = await add({ description: 'for agents' });
    expect(made).toMatchObject({
      version: 1,
      enabled: true,
      updated_by: 'root',
      steps: [
        {
          models: [{ model: 'gpt-4o', weight: 1 }],
          sticky: 'none',
          next_on: ['error', 'too_long', 'lacking'],
          when: { groups: [], tools: 'any', prompt_to: 0, header: null, time: null },
          max_price: null,
        },
      ],
      shadow: null,
    });
    const { id } = made;
    const edit = { id, name: 'smarter', steps, enabled: false };
    await hub().root.call(virtualModelApi.update, { body: edit });
    const versions = await hub().root.call(virtualModelApi.versions, { params: { id } });
    expect(versions.map(({ version, name }) => [version, name])).toEqual([
      [2, 'smarter'],
      [1, 'smart'],
    ]);
    const { version: _v, updated_time: _t, updated_by: _b, ...first } = versions[1]!;
    expect(await hub().root.call(virtualModelApi.update, { body: first })).toMatchObject({ version: 3, name: 'smart' });
    expect((await list('agents')).data).toHaveLength(1);
    expect((await list('nothing')).data).toHaveLength(0);
    const { data } = await hub().root.call(auditApi.list, { query: { kind: 'virtual_model' } });
    expect(data.length).toBeGreaterThanOrEqual(3);
  });

  test.each<[string, object, number, string]>([
    ['a name twice', { name: 'taken', steps }, 409, 'name'],
    ['no name', { name: ' ', steps }, 400, 'name'],
    ['a wildcard as name', { name: 'gpt-*', steps }, 400, 'name'],
    ['no steps', { name: 'a', steps: [] }, 400, 'steps'],
    ['nine steps', { name: 'a', steps: Array.from({ length: 9 }, () => steps[0]) }, 400, 'steps'],
    ['a step without models', { name: 'a', steps: [{ models: [] }] }, 400, 'steps.0.models'],
    [
      'a model twice in a step',
      { name: 'a', steps: [{ models: [{ model: 'x' }, { model: 'x' }] }] },
      400,
      'steps.0.models',
    ],
    ['a weight of 0', { name: 'a', steps: [{ models: [{ model: 'x', weight: 0 }] }] }, 400, 'steps.0.models.0.weight'],
    [
      'a range that nothing is in',
      { name: 'a', steps: [{ ...steps[0], when: { prompt_from: 9, prompt_to: 8 } }] },
      400,
      'steps.0.when.prompt_to',
    ],
    [
      'a header with credentials',
      { name: 'a', steps: [{ ...steps[0], when: { header: { name: 'Authorization', value: 'x' } } }] },
      400,
      'steps.0.when.header.name',
    ],
    [
      'a time that is none',
      { name: 'a', steps: [{ ...steps[0], when: { time: { from: '25:00', to: '01:00', zone: 'UTC' } } }] },
      400,
      'steps.0.when.time.from',
    ],
    [
      'a zone that is none',
      { name: 'a', steps: [{ ...steps[0], when: { time: { from: '01:00', to: '02:00', zone: 'Mars' } } }] },
      400,
      'steps.0.when.time.zone',
    ],
    [
      'a shadow of more than all calls',
      { name: 'a', steps, shadow: { model: 'x', percent: 101 } },
      400,
      'shadow.percent',
    ],
    ['a field that is none', { name: 'a', steps, quota: 5 }, 400, ''],
  ])('%s is refused, names its field and changes nothing', async (_, body, status, field) => {
    await add({ name: 'taken' });
    const refused = await hub().root.send('POST', '/api/virtual_model/', body);
    expect(refused).toMatchObject({ status, body: { ...(field && { field }) } });
    expect((await list()).data.map(({ name }) => name)).toEqual(['taken']);
  });
});
