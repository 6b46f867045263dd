import { createHmac, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BadKey } from './bad-key.ts';
import { klingToken } from './kling-token.ts';
import { googleToken } from './service-account.ts';
import { type AwsKey, signedHeaders } from './sig-v4.ts';
import { volcengineHeaders } from './volcengine-signature.ts';
import { zhipuToken } from './zhipu-token.ts';

const example: AwsKey = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: '',
};
const then = Date.UTC(2015, 7, 30, 12, 36);

describe('Signature Version 4', () => {
  const signatureOf = async (method: string, url: string, headers = {}, body = '', service = 'service') => {
    const unsigned = { method, url, headers, body: Buffer.from(body) };
    const { authorization = '' } = await signedHeaders(unsigned, example, { region: 'us-east-1', service }, then);
    return authorization.split('Signature=')[1];
  };

  // Amazon's examples: its test suite, and the request in its guide.
  test.each([
    ['GET', '/', {}, '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '/', {}, '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'GET',
      '/?Param2=value2&Param1=value1',
      {},
      '',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'POST',
      '/',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      'Param1=value1',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('%s %s', async (method, path, headers, body, signature) => {
    expect(await signatureOf(method, `https://example.amazonaws.com${path}`, headers, body)).toBe(signature);
  });

  test('the request of the guide', async () => {
    const url = 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08';
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    expect(await signatureOf('GET', url, headers, '', 'iam')).toBe(
      '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });

  test('a session token is signed too, and a foreign header is not', async () => {
    const unsigned = {
      method: 'POST',
      url: 'https://h/a%3A0/b',
      headers: { 'x-forwarded-for': '1' },
      body: Buffer.alloc(0),
    };
    const key = { ...example, sessionToken: 'session' };
    const headers = await signedHeaders(unsigned, key, { region: 'eu-west-1', service: 'bedrock' }, then);
    expect(headers).toMatchObject({ host: 'h', 'x-amz-date': '20150830T123600Z', 'x-amz-security-token': 'session' });
    expect(headers['authorization']).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
    expect(headers['authorization']).toContain('/20150830/eu-west-1/bedrock/aws4_request');
  });
});

describe('a Google service account', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = JSON.stringify({
    client_email: 'relay@project.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  });

  const asking = (json: unknown, status = 200) =>
    vi.fn<Parameters<typeof googleToken>[1]>(async () => ({ status, json }));
  const given = { access_token: 'ya29', expires_in: 3599, token_type: 'Bearer' };
  /** The token request for this key. */
  async function askedWith(from: string) {
    const ask = asking(given);
    await googleToken(from, ask);
    expect(ask).toHaveBeenCalledOnce();
    const [asked] = ask.mock.calls[0]!;
    const form = new URLSearchParams(asked.body);
    const [header = '', claims = '', signature = ''] = form.get('assertion')?.split('.') ?? [];
    const json = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown;
    return { asked, form, signed: `${header}.${claims}`, signature, header: json(header), claims: json(claims) };
  }

  afterEach(() => {
    vi.useRealTimers();
  });

  test('its key signs what it is exchanged with', async () => {
    vi.useFakeTimers({ now: then, toFake: ['Date'] });
    const { asked, form, signed, signature, header, claims } = await askedWith(key);
    expect(asked.url).toBe('https://oauth2.googleapis.com/token');
    expect(asked.headers).toEqual({ 'content-type': 'application/x-www-form-urlencoded' });
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const its = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }));
    expect(verify('sha256', Buffer.from(signed), its, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(header).toEqual({ alg: 'RS256' });
    expect(claims).toEqual({
      iss: 'relay@project.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: 'https://oauth2.googleapis.com/token',
      iat: then / 1000,
      exp: then / 1000 + 3600,
    });
  });

  test('it is exchanged where the file says, if that is an address', async () => {
    const fileWith = (token_uri: unknown) => JSON.stringify({ ...JSON.parse(key), token_uri });
    const elsewhere = await askedWith(fileWith('https://oauth2.example.com/token'));
    expect(elsewhere.asked.url).toBe('https://oauth2.example.com/token');
    expect(elsewhere.claims).toMatchObject({ aud: 'https://oauth2.example.com/token' });
    for (const none of ['', 'oauth2.example.com', 'file:///token', 7, null])
      expect((await askedWith(fileWith(none))).asked.url).toBe('https://oauth2.googleapis.com/token');
  });

  test('a key of another format is refused, without repeating it', async () => {
    const ask = asking(given);
    for (const bad of ['', 'sk-secret', '{"client_email":"a","private_key":"sk-secret"}', '[]', 'null']) {
      await expect(googleToken(bad, ask)).rejects.toThrow(BadKey);
      await expect(googleToken(bad, ask)).rejects.toThrow(/^(?!.*sk-secret)/);
    }
    expect(ask).not.toHaveBeenCalled();
  });

  test('a token lasts as long as the answer says', async () => {
    vi.useFakeTimers({ now: then, toFake: ['Date'] });
    expect(await googleToken(key, asking(given))).toEqual({ value: 'ya29', expires: then + 3_599_000 });
    expect(await googleToken(key, asking({ access_token: 'ya29' }))).toEqual({
      value: 'ya29',
      expires: then + 3_600_000,
    });
  });

  test('an answer without a token is none, and is asked for once', async () => {
    for (const odd of [undefined, null, [], {}, { access_token: 7 }, { error: 'invalid_grant' }]) {
      const ask = asking(odd);
      await expect(googleToken(key, ask)).rejects.toThrow('the provider gave no token for the key (status 200)');
      expect(ask).toHaveBeenCalledOnce();
    }
    for (const status of [302, 400, 401, 429, 503]) {
      const ask = asking(given, status);
      await expect(googleToken(key, ask)).rejects.toThrow(`the provider gave no token for the key (status ${status})`);
      expect(ask).toHaveBeenCalledOnce();
    }
    const away = vi.fn<Parameters<typeof googleToken>[1]>().mockRejectedValue(new Error('the connection was refused'));
    await expect(googleToken(key, away)).rejects.toThrow('the connection was refused');
    expect(away).toHaveBeenCalledOnce();
  });
});

test('a key of Zhipu’s own form signs a token; any other is its own', () => {
  const key = `${'0123456789abcdef'.repeat(2)}.aSecretOfSixteen`;
  const [header = '', claims = '', signature = ''] = zhipuToken(key, then).split('.');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', sign_type: 'SIGN' });
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    api_key: '0123456789abcdef'.repeat(2),
    exp: then + 30 * 60_000,
    timestamp: then,
  });
  expect(signature).toBe(createHmac('sha256', 'aSecretOfSixteen').update(`${header}.${claims}`).digest('base64url'));
  expect(zhipuToken('sk-plain.key', then)).toBe('sk-plain.key');
});

// The worked examples that came with the vendors' facts.
test('a key of Kling’s own form signs a token; any other is its own', () => {
  expect(klingToken('AK_demo_0001|SK_demo_0001', 1_764_000_000_000)).toBe(
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJBS19kZW1vXzAwMDEiLCJleHAiOjE3NjQwMDE4MDAsIm5iZiI6MTc2Mzk5OTk5NX0.7RhA3T4LhAxnSMZg-oJtXNGmaiNj3stqvZjEhihtCSg',
  );
  expect(klingToken('an-api-key', then)).toBe('an-api-key');
});

test('a request to Volcengine is signed with both parts of the key', () => {
  const url = 'https://visual.volcengineapi.com/?Version=2022-08-31&Action=CVSync2AsyncSubmitTask';
  const body = Buffer.from('{"req_key":"jimeng_t2v_v30","prompt":"a cat"}');
  const unsigned = { method: 'POST', url, headers: { 'content-type': 'application/json' }, body };
  const place = { region: 'cn-north-1', service: 'cv' };
  const now = Date.UTC(2025, 10, 24, 16);
  expect(volcengineHeaders(unsigned, 'AKLTdemo0001|SKdemo0001', place, now)).toEqual({
    host: 'visual.volcengineapi.com',
    'content-type': 'application/json',
    'x-date': '20251124T160000Z',
    'x-content-sha256': '2f281458116057487058e763801dcbee397c7b649f1cf0ab06a3f7d7a8143edb',
    authorization:
      'HMAC-SHA256 Credential=AKLTdemo0001/20251124/cn-north-1/cv/request, SignedHeaders=content-type;host;x-content-sha256;x-date, Signature=e249fec3fab0f88626feeb4ec9e91a3d8b23b7a98c178e5e7c8a4eb41b07da56',
  });
  for (const bad of ['', 'sk-secret', 'sk-secret|', '|sk-secret']) {
    expect(() => volcengineHeaders(unsigned, bad, place, now)).toThrow(BadKey);
    expect(() => volcengineHeaders(unsigned, bad, place, now)).toThrow(/^(?!.*sk-secret)/);
  }
});
