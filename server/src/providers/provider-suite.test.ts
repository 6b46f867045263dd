import { describe, expect, test } from 'vitest';
import { changed } from './fixes.ts';
import type { ProviderCall, Operation } from './operation.ts';
import type { Provider } from './provider.ts';
import { allProviders } from './registry.ts';
import { targetOf } from './target.ts';
import { type ChannelFixture, needFixture, type OtherFixture } from './testing/fixtures.ts';
import { callOf, otherOperations, usageOf } from './testing/operations.ts';
import { readUpstreamError } from './upstream-errors.ts';

/** When the suite's requests are signed. */
const now = Date.UTC(2026, 0, 2, 3, 4, 5);

const callerPath = '/v1/files?purpose=batch';

const cases = allProviders().map((provider): [string, Provider] => [provider.id, provider]);

describe.each(cases)('%s', (id, provider) => {
  const channel = (): ChannelFixture => needFixture(id, 'channel');
  const others = (): Record<string, OtherFixture> => channel().others ?? {};

  const sentTo = (operation: Operation, fixture: Pick<OtherFixture, 'model' | 'request'>) => {
    const asked = callOf(provider, channel(), { model: fixture.model, request: fixture.request, callerPath });
    return { asked, target: targetOf(provider, operation, asked) };
  };

  test('is well described', () => {
    expect(provider.title).toMatch(/^\S.*\S$/);
    if (provider.baseUrl !== '') expect(new URL(provider.baseUrl).href.replace(/\/$/, '')).toBe(provider.baseUrl);
    else expect(provider.form?.address).toBe('required');
    if (provider.website !== '') expect(new URL(provider.website).protocol).toBe('https:');
    expect(Object.keys(otherOperations(provider)).length + (provider.chat ? 1 : 0)).toBeGreaterThan(0);
  });

  test('has fixtures for all that it offers, and for nothing else', () => {
    expect(Object.keys(others()).toSorted()).toEqual(Object.keys(otherOperations(provider)).toSorted());
    expect(channel().models !== undefined).toBe(provider.models !== undefined);
    expect(channel().balance !== undefined).toBe(provider.balance !== undefined);
    expect(channel().errors.length).toBeGreaterThan(0);
    expect(channel().signed !== undefined).toBe(provider.sign !== undefined);
  });

  test('authorizes a call, by headers or by a signature', async () => {
    const { headers, signed, key } = channel();
    const operation = provider.chat ?? Object.values(otherOperations(provider))[0];
    expect(targetOf(provider, operation!, callOf(provider, channel())).headers).toMatchObject(headers);
    if (!provider.sign) return;
    const unsigned = { method: 'POST', url: 'https://host/path', headers: {}, body: Buffer.from('{}') };
    expect(await provider.sign(unsigned, key, now)).toEqual(signed);
  });

  test.each(Object.entries(otherOperations(provider)))('%s: where it goes and what it sends', (name, operation) => {
    const fixture = others()[name]!;
    const { asked, target } = sentTo(operation, fixture);
    expect(target.baseUrl + target.path).toBe(fixture.url);
    if (fixture.headers) expect(target.headers).toMatchObject(fixture.headers);
    if (operation.convert) {
      const content = operation.convert.request(fixture.request ?? {}, asked);
      expect('json' in content ? content.json : content.bytes.toString()).toEqual(fixture.sent);
    } else if (fixture.request) {
      expect(changed(fixture.request, operation.fix?.(fixture.request, asked) ?? {})).toEqual(
        fixture.sent ?? fixture.request,
      );
    }
  });

  const answered = Object.entries(otherOperations(provider)).filter(([name]) => others()[name]?.reply !== undefined);
  test.each(answered)('%s: what its answer says and what it used', (name, operation) => {
    const { reply, answer, usage, request = {} } = others()[name]!;
    const { find, read } = operation.usage;
    expect(read(find(reply))).toEqual(usage && usageOf(usage));
    if (!operation.convert) return;
    const content = operation.convert.reply({ json: reply }, request);
    const got = 'json' in content ? content.json : { type: content.contentType, hex: content.bytes.toString('hex') };
    expect(got).toMatchObject(answer as object);
  });

  test('what converts is shown in both directions', () => {
    for (const [name, { convert }] of Object.entries(otherOperations(provider))) {
      if (!convert) continue;
      const fixture = others()[name]!;
      expect([fixture.sent, fixture.reply ?? fixture.reply_bytes].includes(undefined), name).toBe(false);
    }
  });

  test('its errors are read', () => {
    for (const { status, headers, body, reads } of channel().errors) {
      const answer = { status, ...(headers && { headers }), json: body };
      expect((provider.error ?? readUpstreamError)(answer)).toMatchObject(reads);
    }
    expect((provider.error ?? readUpstreamError)({ status: 200, json: { id: 'x', message: 'fine' } })).toBeUndefined();
    expect((provider.error ?? readUpstreamError)({ status: 502, json: undefined })).toMatchObject({ status: 502 });
  });

  test('its models are listed', () => {
    const { models } = channel();
    if (!provider.models || !models) return;
    const asked: ProviderCall = callOf(provider, channel());
    const { baseUrl, path } = targetOf(provider, provider.models, asked);
    expect(baseUrl + path).toBe(models.url);
    expect(provider.models.read(models.reply)).toEqual(models.reads);
    expect(provider.models.next?.(models.reply)).toBeUndefined();
    if (!models.next) return expect(provider.models.next).toBeUndefined();
    expect(provider.models.next?.(models.next.reply)).toBe(models.next.path);
    if (provider.models.target)
      expect(provider.models.target({ ...asked, callerPath: models.next.path }).path).toBe(models.next.path);
  });

  test('its balance is read', () => {
    const { balance } = channel();
    if (!provider.balance || !balance) return;
    const { baseUrl, path } = targetOf(provider, provider.balance, callOf(provider, channel()));
    expect(baseUrl + path).toBe(balance.url);
    expect(provider.balance.read(balance.reply, baseUrl)).toEqual(balance.reads);
    for (const { base_url, reply, reads } of balance.more ?? [])
      expect(provider.balance.read(reply ?? balance.reply, base_url ?? baseUrl)).toEqual(reads);
    for (const reply of [{}, null, [], 'soon', { data: {}, balance_infos: [{ total_balance: 'much' }] }])
      expect(provider.balance.read(reply, baseUrl)).toBeUndefined();
  });
});
