import { request } from 'node:http';
import { expect, test } from 'vitest';
import { addCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { originForm } from './origin-form.ts';

test.each([
  ['/v1/models?x=http://y', '/v1/models?x=http://y'],
  ['http://hub.example/v1/models?a=b', '/v1/models?a=b'],
  ['HTTPS://hub.example:3000/api/status', '/api/status'],
  ['http://hub.example', '/'],
  ['http://hub.example?a=b', '/?a=b'],
  ['*', '*'],
])('%s is %s', (target, path) => expect(originForm(target)).toBe(path));

onOneDatabase('a request with an absolute URL', (make) => {
  const hub = hubForSuite(make);

  test.each(['/v1/models', '/api/status'])('%s is answered as one that names the path', async (path) => {
    const { key } = await addCaller(hub().server.deps.db);
    const { hostname, port } = new URL(hub().url);
    const type = await new Promise((resolve, reject) => {
      const options = { hostname, port, path: `${hub().url}${path}`, headers: { authorization: `Bearer ${key}` } };
      request(options, (response) => {
        response.resume();
        resolve([response.statusCode, response.headers['content-type']?.split(';')[0]]);
      })
        .on('error', reject)
        .end();
    });
    expect(type).toEqual([200, 'application/json']);
  });
});
