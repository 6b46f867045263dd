import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { optionApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { productVersion } from '#version.ts';

onEveryDatabase('news of later versions', (make) => {
  const hub = hubForSuite(make, { OUTBOUND_PRIVATE: 'allow' });
  let source: Server;
  let answer = '';
  let asked = 0;
  beforeAll(async () => {
    source = createServer((_, response) => {
      asked++;
      response.end(answer);
    });
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => source.close());
  const ask = () => hub().root.try(optionApi.checkUpdate);
  const told = () => hub().root.call(optionApi.checkUpdate);
  const use = (value: string) => hub().root.call(optionApi.set, { body: { key: 'UpdateSource', value } });

  test('nothing is asked where no source is set', async () => {
    expect(await told()).toEqual({ running: productVersion, source: '', releases: [] });
  });

  test('come from the source that is set, newest first', async () => {
    await use(`http://127.0.0.1:${(source.address() as AddressInfo).port}/releases`);
    answer = JSON.stringify([
      { tag_name: 'v0.9.9', body: 'old' },
      { tag_name: 'v9.14.10', body: 'new', published_at: '2026-11-01T00:00:00Z', html_url: 'https://a.example/x' },
      { tag_name: `v${productVersion}`, html_url: 'javascript:alert(1)' },
    ]);
    const { releases } = await told();
    expect(releases.map((release) => [release.version, release.newer, release.address])).toEqual([
      ['v9.14.10', true, 'https://a.example/x'],
      [`v${productVersion}`, false, ''],
      ['v0.9.9', false, ''],
    ]);
  });

  test('administrators see the newest one, and the source is read once a day', async () => {
    const newer = () => hub().root.call(optionApi.newerVersion);
    const address = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
    answer = JSON.stringify({ version: '9.0.0', url: 'https://a.example/9' });
    await use(`${address}/short`);
    asked = 0;
    const found = { version: '9.0.0', address: 'https://a.example/9' };
    expect(await Promise.all([newer(), newer()])).toEqual([found, found]);
    answer = JSON.stringify({ version: productVersion });
    expect(await newer()).toMatchObject({ version: '9.0.0' });
    expect(asked).toBe(1);
    await use(`${address}/other`);
    expect(await newer()).toEqual({ version: '', address: '' });
    answer = 'not a release';
    await use(`${address}/third`);
    expect(await newer()).toEqual({ version: '', address: '' });
    await use('');
    expect(await newer()).toEqual({ version: '', address: '' });
    expect(asked).toBe(3);
    await use(`${address}/releases`);
  });

  test.each(['', 'x', '{}', '[1]', '{"tag_name":5}'])('an answer %o is told as what it is', async (text) => {
    answer = text;
    expect(await ask()).toMatchObject({ status: 502, body: { code: 'option.update_format', field: 'UpdateSource' } });
  });

  test('an unresponsive source is reported as unreachable', async () => {
    await use('http://127.0.0.1:1/releases');
    expect(await ask()).toMatchObject({ status: 502, body: { code: 'outbound.failed', field: 'UpdateSource' } });
  });
});
