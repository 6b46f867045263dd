import { createHash } from 'node:crypto';
import { auditApi, MOST_PICTURE_BYTES, optionApi, siteApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const jpeg = (text: string) => Buffer.from(`\xff\xd8\xff\xe0${text}`, 'latin1');
const webp = Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8L', 'latin1');
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

onEveryDatabase('uploaded images of the site', (make) => {
  const hub = hubForSuite(make);
  const upload = (bytes: Buffer, claim = 'image/png') =>
    hub().root.try(optionApi.addPicture, { body: { data: `data:${claim};base64,${bytes.toString('base64')}` } });
  const addressOf = async (bytes: Buffer): Promise<string> => {
    const { body } = await upload(bytes);
    return (body.success && body.data?.address) || '';
  };
  const fetched = (address: string) => fetch(new URL(address, hub().url));

  test('are served to everybody with the type of their bytes, and can be the logo', async () => {
    const address = await addressOf(png);
    await hub().root.call(optionApi.setMany, { body: { values: { Logo: address, Favicon: address } } });
    expect(await new ApiClient(hub().url).call(siteApi.status)).toMatchObject({ logo: address, favicon: address });
    const answer = await fetched(address);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/) as string,
      'x-content-type-options': 'nosniff',
    });
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(png);
    // Same bytes, same address.
    expect(await addressOf(png)).toBe(address);
    const history = await hub().root.call(optionApi.history, { query: { key: 'Logo' } });
    expect(history.data[0]).toMatchObject({ after: address });
  });

  test('the audit log names the upload without its bytes', async () => {
    await upload(png);
    const { data } = await hub().root.call(auditApi.list, { query: { kind: 'option' } });
    const entry = data.find(({ path }) => path === '/api/option/picture');
    const detail = await hub().root.call(auditApi.get, { params: { id: entry?.id ?? 0 } });
    expect(JSON.stringify(detail.input)).toMatch(/data:image\/png;base64,… \(\d+, /);
    expect(JSON.stringify(detail)).not.toContain('iVBORw0KGgo');
  });

  test.each([
    ['a JPEG that calls itself a page', jpeg('x'), 'text/html', 'image/jpeg'],
    ['a WebP without a type', webp, '', 'image/webp'],
  ])('%s is an image by its bytes', async (_, bytes, claim, type) => {
    const { body } = await upload(bytes, claim);
    const answer = await fetched((body.success && body.data?.address) || '/none.png');
    expect(answer.headers.get('content-type')).toBe(type);
  });

  test.each([
    ['an SVG', svg, 'picture.type'],
    ['a page that calls itself a PNG', Buffer.from('<!doctype html><script>alert(1)</script>'), 'picture.type'],
    ['a GIF', Buffer.from('GIF89a'), 'picture.type'],
    ['one byte too much', jpeg('x'.repeat(MOST_PICTURE_BYTES - 3)), 'picture.too_large'],
    ['nothing', Buffer.alloc(0), 'input.invalid'],
  ])('%s is refused', async (_, bytes, code) => {
    expect(await upload(bytes)).toMatchObject({ status: 400, body: { code, field: 'data' } });
  });

  test('earlier ones go after a while, those in use stay', async () => {
    const inUse = await addressOf(png);
    const old = await addressOf(jpeg('old'));
    const { db, now } = hub().server.deps;
    await db
      .updateTable('site_pictures')
      .set({ created_time: now() - 100 })
      .execute();
    for (let count = 0; count < 20; count++) await addressOf(jpeg(String(count)));
    expect((await fetched(old)).status).toBe(404);
    expect((await fetched(inUse)).status).toBe(200);
    const unknown = createHash('sha256').update('none').digest('hex').slice(0, 32);
    for (const name of [`${unknown}.png`, '..%2fx.png']) expect((await fetched(`/pictures/${name}`)).status).toBe(404);
  });
});
