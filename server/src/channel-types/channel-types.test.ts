import { readFileSync } from 'node:fs';
import { channelApi, channelType } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { allProviders } from '#providers/registry.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { channelTypes, findChannelType } from './channel-types.ts';

/** One-hub's numbers, of which 43, 44, 46 and 48 are model owners without a channel type, and from 101 on our own. */
const numbers = [
  1, 3, 8, 11, 14, 15, 16, 17, 18, 19, 20, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37,
].concat([
  38, 39, 40, 41, 42, 45, 47, 49, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 101, 102, 103, 104, 105, 106, 107,
  108, 109, 110, 111, 112, 113, 114,
]);

test('every type of the family is there once, those that can be used first', () => {
  const types = channelTypes();
  expect(types.map(({ type }) => type).toSorted((a, b) => a - b)).toEqual(numbers);
  expect(new Set(types.map(({ title }) => title)).size).toBe(types.length);
  const supported = types.map((one) => one.supported);
  expect(supported).toEqual(supported.toSorted((a, b) => Number(b) - Number(a)));
  expect(
    types
      .filter((one) => one.supported)
      .map(({ type }) => type)
      .toSorted((a, b) => a - b),
  ).toEqual(allProviders().map(({ type }) => type));
});

test('a provider without a described type is a type nevertheless', () => {
  expect(findChannelType(43)).toBeUndefined();
  for (const { type, title } of allProviders()) expect(findChannelType(type)).toMatchObject({ title, supported: true });
});

describe.each(channelTypes())('$title', (type) => {
  test('matches the contract', () => expect(z.parse(channelType, type)).toEqual(type));

  test('says where its calls go', () => {
    expect(type.address === 'required', 'an address is typed in where none is built in').toBe(
      type.address !== 'none' && type.base_url === '',
    );
    if (type.address === 'required') expect(type.address_example).toMatch(/^https?:\/\//);
    for (const address of [type.base_url, type.website].filter(Boolean)) expect(URL.canParse(address)).toBe(true);
  });
});

test('a type’s mark has a picture in the console, except for servers without one', () => {
  const pictures = readFileSync(new URL('../../../console/src/ui/basic/marks.svg', import.meta.url), 'utf8');
  const missing = channelTypes().filter(({ mark }) => !pictures.includes(`<symbol id="${mark}"`));
  expect(missing.map(({ title }) => title)).toEqual(['SGLang']);
});

onOneDatabase('channel types', (make) => {
  const hub = hubForSuite(make);
  const valid = { name: 'one', key: 'a|b|c', models: 'm', base_url: 'http://127.0.0.1:9', other: 'us-east-1|p' };
  const unsupported = channelTypes().filter(({ supported }) => !supported);

  test('the API lists them', async () => {
    expect(await hub().root.call(channelApi.types)).toEqual(channelTypes());
  });

  test.runIf(unsupported.length > 0)(
    'one that is not supported yet is refused, at a new channel and at an edit',
    async () => {
      const { type, title } = unsupported[0]!;
      const refused = { status: 400, body: { code: 'channel.type_unsupported', field: 'type' } };
      const answer = await hub().root.send('POST', '/api/channel/', { ...valid, type });
      expect(answer).toMatchObject(refused);
      expect(answer.body.message).toContain(title);
      const [made] = await hub().root.call(channelApi.create, { body: { ...valid, type: 8 } });
      expect(await hub().root.send('PUT', '/api/channel/', { id: made!.id, type, key: 'k' })).toMatchObject(refused);
    },
  );

  test.runIf(unsupported.length > 0)(
    'a channel of such a type from elsewhere can be renamed and deleted, not enabled for calls',
    async () => {
      const [made] = await hub().root.call(channelApi.create, { body: { ...valid, type: 8, models: 'stranded' } });
      const { id } = made!;
      const { db, live } = hub().server.deps;
      await db.updateTable('channels').set({ type: unsupported[0]!.type }).where('id', '=', id).execute();
      await live.changed('routes');
      expect(live.routes.serves('default', 'stranded')).toBe(false);
      expect(await hub().root.call(channelApi.update, { body: { id, name: 'renamed' } })).toMatchObject({
        name: 'renamed',
      });
      await hub().root.call(channelApi.remove, { params: { id } });
    },
  );
});
