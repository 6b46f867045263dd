import { modelOwnerApi, priceApi, siteApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';

onEveryDatabase('model owners', (make) => {
  const hub = hubForSuite(make);
  const create = (body: { id: number; name: string; icon?: string }) => hub().root.try(modelOwnerApi.create, { body });
  const owners = () => hub().root.call(siteApi.owners);

  test('are added above 1000, changed but for their id, and deleted', async () => {
    expect(await create({ id: 1001, name: 'Acme', icon: 'https://acme.example/i.svg' })).toMatchObject({ status: 200 });
    expect((await owners()).find(({ id }) => id === 1001)).toEqual({
      id: 1001,
      name: 'Acme',
      icon: 'https://acme.example/i.svg',
    });
    expect(hub().server.deps.live.owners.get(1001)).toBe('Acme');
    await hub().root.call(modelOwnerApi.update, { body: { id: 1001, name: 'Acme AI', icon: '' } });
    expect(await hub().root.call(modelOwnerApi.get, { params: { id: 1001 } })).toEqual({
      id: 1001,
      name: 'Acme AI',
      icon: '',
    });
    expect(hub().server.deps.live.owners.get(1001)).toBe('Acme AI');
    await hub().root.call(modelOwnerApi.remove, { params: { id: 1001 } });
    expect((await hub().root.try(modelOwnerApi.get, { params: { id: 1001 } })).status).toBe(404);
  });

  test.each([
    [{ id: 1000, name: 'x' }, 'id'],
    [{ id: 1, name: 'x' }, 'id'],
    [{ id: -5, name: 'x' }, 'id'],
    [{ id: 2000.5, name: 'x' }, 'id'],
    [{ id: 2000, name: '' }, 'name'],
    [{ id: 2000, name: 'y'.repeat(101) }, 'name'],
    [{ id: 2000, name: 'x', icon: 'javascript:alert(1)' }, 'icon'],
    [{ id: 2000, name: 'x', icon: '//evil.example/x' }, 'icon'],
    [{ id: 2000, name: 'x', icon: 'data:text/html;base64,AAAA' }, 'icon'],
  ])('%o is refused at %s', async (body, field) => {
    expect(await create(body)).toMatchObject({ status: 400, body: { code: 'input.invalid', field } });
  });

  test('an id is unique; built-in owners may be renamed, not deleted', async () => {
    await create({ id: 1002, name: 'One' });
    expect(await create({ id: 1002, name: 'Two' })).toMatchObject({
      status: 409,
      body: { code: 'record.exists', field: 'id' },
    });
    await hub().root.call(modelOwnerApi.update, { body: { id: 17, name: 'Qwen · 通义', icon: 'qwen' } });
    expect((await owners()).find(({ id }) => id === 17)?.name).toBe('Qwen · 通义');
    expect(await hub().root.try(modelOwnerApi.remove, { params: { id: 17 } })).toMatchObject({
      status: 409,
      body: { code: 'owner.built_in' },
    });
    expect((await hub().root.try(modelOwnerApi.update, { body: { id: 1999, name: 'Nobody', icon: '' } })).status).toBe(
      404,
    );
  });

  test('one with prices stays until they have another', async () => {
    await create({ id: 1003, name: 'Priced' });
    const body = { model: 'priced-1', type: 'tokens', channel_type: 1003, input: 1, output: 1 } as const;
    await hub().root.call(priceApi.create, { body });
    expect(await hub().root.try(modelOwnerApi.remove, { params: { id: 1003 } })).toMatchObject({
      status: 409,
      body: { code: 'owner.in_use' },
    });
    expect((await hub().root.call(modelOwnerApi.get, { params: { id: 1003 } })).name).toBe('Priced');
    await hub().root.call(priceApi.remove, { params: { model: 'priced-1' } });
    expect((await hub().root.try(modelOwnerApi.remove, { params: { id: 1003 } })).status).toBe(200);
  });
});
