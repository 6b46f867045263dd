import { describe, expect, test } from 'vitest';
import { newSqlite } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { pagePolicy } from './security-headers.ts';

describe('security headers', () => {
  const hub = hubForSuite(newSqlite, { TRUSTED_PROXIES: '127.0.0.1' });
  const headersOf = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(hub().url + path, { headers })).headers;

  test.each(['/', '/panel/token', '/login?redirect=/panel', '/no-such-page'])('%s: a page of ours', async (path) => {
    const headers = await headersOf(path);
    const policy = headers.get('content-security-policy') ?? '';
    const script = policy.split('; ').find((part) => part.startsWith('script-src '));
    expect(script).toMatch(/^script-src 'self'( 'sha256-[\w+/=]+')*$/);
    for (const part of ["object-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'self'"])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*(unsafe-inline|\*|https?:)/);
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('camera=()');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each(['/api/status', '/api/openapi.json', '/api/no-such', '/api/user/self', '/healthz'])(
    '%s: data, in which nothing runs whatever a browser takes it for',
    async (path) => {
      const headers = await headersOf(path);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*sandbox$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.has('permissions-policy'), 'what a page alone means something by').toBe(false);
    },
  );

  test('the page of the API has the same as those of the console', async () => {
    const headers = await headersOf('/api/docs');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'self'; .*frame-ancestors 'self'/);
    expect(headers.get('permissions-policy')).toContain('camera=()');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });

  test('HSTS is sent over TLS', async () => {
    expect((await headersOf('/')).has('strict-transport-security')).toBe(false);
    const secure = await headersOf('/', { 'x-forwarded-proto': 'https' });
    expect(secure.get('strict-transport-security')).toBe('max-age=31536000');
  });
});

describe('without a trusted proxy', () => {
  const hub = hubForSuite(newSqlite);

  test('an untrusted header does not turn on HSTS', async () => {
    const answer = await fetch(`${hub().url}/api/status`, { headers: { 'x-forwarded-proto': 'https' } });
    expect(answer.headers.has('strict-transport-security')).toBe(false);
  });
});

test('the policy allows a widget by origin only', () => {
  const policy = pagePolicy({ widgets: ['https://widget.example'], inline: ['sha256-x='] });
  expect(policy).toContain("script-src 'self' 'sha256-x=' https://widget.example");
});
