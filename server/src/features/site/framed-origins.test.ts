import { optionApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { newSqlite } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';

const hub = hubForSuite(newSqlite);

const framed = async (): Promise<string | undefined> => {
  const policy = (await fetch(hub().url)).headers.get('content-security-policy') ?? '';
  return policy.split('; ').find((part) => part.startsWith('frame-src '));
};
const set = (key: string, value: string) => hub().root.call(optionApi.set, { body: { key, value } });
const link = (name: string, more: object) => ({
  name,
  url: `https://${name}.example/#{key}`,
  show: true,
  sort: 0,
  ...more,
});

test('pages frame what the operator chose, one origin at a time', async () => {
  expect(await framed()).toBe("frame-src 'self'");
  const links = [
    link('plain', {}),
    link('framed', { embed: true }),
    link('hidden', { embed: true, show: false }),
    { ...link('app', {}), url: 'myapp://x' },
  ];
  await set('ChatLinks', JSON.stringify(links));
  await set('About', 'https://about.example:8443/page?x=1');
  await set('HomePageContent', 'https://framed.example/other, and more');
  expect(await framed()).toBe("frame-src 'self' https://about.example:8443 https://framed.example");
  await set('About', '<p>https://no.example</p>');
  expect(await framed()).toBe("frame-src 'self' https://framed.example");
});
