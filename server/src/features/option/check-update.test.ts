import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { optionApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { version } from '#version.ts';

onEveryDatabase('news of later versions', (make) => {
  const hub = hubForSuite(make, { OUTBOUND_PRIVATE: 'allow' });
  let source: Server;
  let answer = '';
  beforeAll(async () => {
    source = createServer((_, response) => response.end(answer));
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => source.close());
  const ask = () => hub().root.try(optionApi.checkUpdate);
  const told = () => hub().root.call(optionApi.checkUpdate);
  const use = (value: string) => hub().root.call(optionApi.set, { body: { key: 'UpdateSource', value } });

  test('nothing is asked where no source is set', async () => {
    expect(await told()).toEqual({ running: version, source: '', releases: [] });
  });

  test('come from the source that is set, newest first', async () => {
    await use(`http://127.0.0.1:${(source.address() as AddressInfo).port}/releases`);
    answer = JSON.stringify([
      { tag_name: 'v0.9.9', body: 'old' },
      { tag_name: 'v0.14.10', body: 'new', published_at: '2026-11-01T00:00:00Z', html_url: 'https://a.example/x' },
      { tag_name: version, html_url: 'javascript:alert(1)' },
    ]);
    const { releases } = await told();
    expect(releases.map((release) => [release.version, release.newer, release.address])).toEqual([
      ['v0.14.10', true, 'https://a.example/x'],
      [version, false, ''],
      ['v0.9.9', false, ''],
    ]);
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
