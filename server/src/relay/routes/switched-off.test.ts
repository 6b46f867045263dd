import { optionApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { addToken, hubForSuite } from '#testing/hub.ts';

onOneDatabase('the APIs that can be switched off', (make) => {
  const hub = hubForSuite(make);
  const statusOf = async (path: string, key: string): Promise<number> => {
    const headers = { 'x-api-key': key, 'x-goog-api-key': key, authorization: `Bearer ${key}` };
    const response = await fetch(hub().url + path, { method: 'POST', headers, body: '{}' });
    await response.text();
    return response.status;
  };

  test.each<[setting: string, paths: string[]]>([
    ['ClaudeAPIEnabled', ['/claude/v1/messages', '/v1/messages', '/claude/v1/messages/count_tokens']],
    ['GeminiAPIEnabled', ['/gemini/v1beta/models/gemini-2.5-pro:generateContent']],
  ])('%s', async (key, paths) => {
    const { key: token } = await addToken(hub());
    for (const path of paths) expect(await statusOf(path, token)).not.toBe(503);
    await hub().root.call(optionApi.set, { body: { key, value: 'false' } });
    for (const path of paths) expect(await statusOf(path, token)).toBe(503);
    expect(await statusOf('/v1/chat/completions', token)).not.toBe(503);
    await hub().root.call(optionApi.set, { body: { key, value: 'true' } });
    for (const path of paths) expect(await statusOf(path, token)).not.toBe(503);
  });
});
