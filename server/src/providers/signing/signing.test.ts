import { createHmac, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { BadKey } from './bad-key.ts';
import { googleToken } from './service-account.ts';
import { type AwsKey, signedHeaders } from './sig-v4.ts';
import { zhipuToken } from './zhipu-token.ts';

const example: AwsKey = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: '',
};
const then = Date.UTC(2015, 7, 30, 12, 36);

describe('Signature Version 4', () => {
  const signatureOf = (method: string, url: string, headers = {}, body = '', service = 'service') => {
    const unsigned = { method, url, headers, body: Buffer.from(body) };
    const { authorization = '' } = signedHeaders(unsigned, example, { region: 'us-east-1', service }, then);
    return authorization.split('Signature=')[1];
  };

  // Amazon's own examples: its test suite, and the request of its guide.
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
  ])('%s %s', (method, path, headers, body, signature) => {
    expect(signatureOf(method, `https://example.amazonaws.com${path}`, headers, body)).toBe(signature);
  });

  test('the request of the guide', () => {
    const url = 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08';
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    expect(signatureOf('GET', url, headers, '', 'iam')).toBe(
      '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });

  test('a session’s token is signed too, and a header of somebody else’s is not', () => {
    const unsigned = {
      method: 'POST',
      url: 'https://h/a%3A0/b',
      headers: { 'x-forwarded-for': '1' },
      body: Buffer.alloc(0),
    };
    const key = { ...example, sessionToken: 'session' };
    const headers = signedHeaders(unsigned, key, { region: 'eu-west-1', service: 'bedrock' }, then);
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
    private_key_id: 'k1',
  });

  test('its key signs what it is exchanged with', () => {
    const asked = googleToken.ask(key, then);
    expect(asked.url).toBe('https://oauth2.googleapis.com/token');
    const form = new URLSearchParams(asked.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header = '', claims = '', signature = ''] = form.get('assertion')?.split('.') ?? [];
    const signed = Buffer.from(`${header}.${claims}`);
    expect(
      verify(
        'sha256',
        signed,
        createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
        Buffer.from(signature, 'base64url'),
      ),
    ).toBe(true);
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      iss: 'relay@project.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: 'https://oauth2.googleapis.com/token',
      iat: then / 1000,
      exp: then / 1000 + 3600,
    });
  });

  test('it is exchanged where the file says, if that is an address', () => {
    const askedWith = (token_uri: unknown) => googleToken.ask(JSON.stringify({ ...JSON.parse(key), token_uri }), then);
    const elsewhere = askedWith('https://oauth2.example.com/token');
    expect(elsewhere.url).toBe('https://oauth2.example.com/token');
    const claims = new URLSearchParams(elsewhere.body).get('assertion')!.split('.')[1]!;
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ aud: elsewhere.url });
    for (const none of ['', 'oauth2.example.com', 'file:///token', 7, null])
      expect(askedWith(none).url).toBe('https://oauth2.googleapis.com/token');
  });

  test('what is no such file is refused, and the refusal does not hold it', () => {
    for (const bad of ['', 'sk-secret', '{"client_email":"a","private_key":"sk-secret"}', '[]', 'null']) {
      expect(() => googleToken.ask(bad, then)).toThrow(BadKey);
      expect(() => googleToken.ask(bad, then)).toThrow(/^(?!.*sk-secret)/);
    }
  });

  test('an answer without a token is none', () => {
    expect(googleToken.read({ access_token: 'ya29', expires_in: 3599 }, 1000)).toEqual({
      value: 'ya29',
      expires: 3_600_000,
    });
    for (const odd of [undefined, null, [], {}, { access_token: 7 }, { error: 'invalid_grant' }])
      expect(googleToken.read(odd, 0)).toBeUndefined();
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
