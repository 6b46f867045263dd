import { expect, test } from 'vitest';
import { expectLinear } from '#testing/linear.ts';
import { hostIn, withoutPlaces } from './private-places.ts';

const GONE = '[address removed]';

test.each([
  ['failed at http://10.0.0.5:8080/v1', `failed at ${GONE}`],
  ['POST https://llm.acme-corp.example.com/v1/chat: 500.', `POST ${GONE}: 500.`],
  ['see (http://10.0.0.5/x), then http://[::1]:8080/v1.', `see (${GONE}), then ${GONE}.`],
  [String.raw`{"url":"http:\/\/10.0.0.5\/v1"}`, `{"url":"${GONE}"}`],
  ['postgres://user:pw@db:5432/x is away', `${GONE} is away`],
  ['dial tcp 10.1.2.3:443: connect: connection refused', `dial tcp ${GONE}: connect: connection refused`],
  ['dial tcp: lookup vllm-backend on 10.0.0.2:53: no such host', `dial tcp: lookup ${GONE} on ${GONE}: no such host`],
  ['getaddrinfo ENOTFOUND vllm-backend', `getaddrinfo ENOTFOUND ${GONE}`],
  [
    "HTTPConnectionPool(host='vllm-7b', port=8000): Max retries",
    `HTTPConnectionPool(host= '${GONE}', port=8000): Max retries`,
  ],
  ['Cannot connect to host ollama:11434 ssl:default', `Cannot connect to host ${GONE} ssl:default`],
  ['upstream ollama:11434 timed out', `upstream ${GONE} timed out`],
  ['no route to gpu-3.rack.internal', `no route to ${GONE}`],
  ['no route to svc.ns.svc.cluster.local:80/x', `no route to ${GONE}`],
  ['connect to localhost:3000 failed', `connect to ${GONE} failed`],
  ['api.my-relay.io said no', `${GONE} said no`],
  ['listen fe80::1ff:fe23:4567:890a and ::1', `listen ${GONE} and ${GONE}`],
  ['ask admin@acme.co.uk', `ask admin@${GONE}`],
  ['无法访问 http://10.0.0.5:8080/v1，请稍后', `无法访问 ${GONE}，请稍后`],
  ['organization org-abc123 and project proj_abc', 'organization •••• and project ••••'],
  ['org-a', '••••'],
  [
    'Publisher Model `projects/acme-prod-1/locations/us-central1` was not found',
    'Publisher Model `projects/••••/locations/us-central1` was not found',
  ],
  ['arn:aws:bedrock:us-east-1:123456789012:model/x', 'arn:aws:bedrock:us-east-1:••••:model/x'],
  ['API has not been used in project 123456789012', 'API has not been used in project ••••'],
  ['connect to １０.０.０.５:80 and 10。0。0。5 failed', `connect to ${GONE} and ${GONE} failed`],
  ['upstream 10.0\u200b.0.5 at h\u00adttp://vllm.int\u2060ernal/v1', `upstream ${GONE} at ${GONE}`],
  ['dialled 0x7f000001:4150, 0x7F000001 and 0x7f.0.0.1', `dialled ${GONE}, ${GONE} and ${GONE}`],
  ['dialled 0177.0.0.1 and 2130706433:4150/x', `dialled ${GONE} and ${GONE}`],
  ['open /srv/oneapi/secret/config.yaml: no such file', 'open [path removed]: no such file'],
  ['File "/usr/lib/python3.12/site-packages/vllm/a.py", line 3', 'File "[path removed]", line 3'],
  [
    'at C:\\relay\\config.ini, ~/relay/main.go:17 and /relay/config.toml',
    'at [path removed], [path removed]:17 and [path removed]',
  ],
  ['see https://platform.openai.com@evil.example.com/', `see ${GONE}`],
  ['see https://platform.openai.com/settings/proj_abc/limits', `see ${GONE}`],
])('loses what names a place or an account: %s', (text, clean) => {
  expect(withoutPlaces(text)).toBe(clean);
  expect(withoutPlaces(clean)).toBe(clean);
});

test.each([
  'You can find your API key at https://platform.openai.com/account/api-keys.',
  'See https://docs.anthropic.com/en/api/errors#overloaded for more.',
  'Contact us through our help center at help.openai.com.',
  'Invalid value at messages[0].content: expected string, line 3 column 12, code:400, got tokens:4096',
  "Unsupported parameter: 'tools.0.function.parameters' of gpt-4.1-2025-04-14 (12:30:45), ratio 1.5.2",
  'This organization level is org-wide; set org_id or project_name.',
  'The model `us.anthropic.claude-3-5-sonnet-20241022-v2:0` does not exist; see std::string.',
  'max_tokens: 8192 is larger than 4096',
  '请求失败：模型“gpt-4o”不支持，请稍后再试。ＡＰＩ 错误',
  'POST /v1/chat/completions and /v1beta/models/gemini:generateContent are not allowed; use and/or, 1/2, text/html',
  'version 1.2.3 at 2025-04-14T01:02:03, 0x1f bytes, 1700000000 of 05.06, ratio 16:9',
])('keeps what says nothing of the operator: %s', (text) => {
  expect(withoutPlaces(text)).toBe(text);
});

test('a link to documentation loses its query', () => {
  expect(withoutPlaces('see https://platform.openai.com/docs/guides?org=org-1')).toBe(
    'see https://platform.openai.com/docs/guides',
  );
});

test('hosts of the channel go wherever they stand, documentation too', () => {
  expect(
    withoutPlaces('vLLM at VLLM: HTTPS://Relay.Acme.Test/v1, relay.acme.test:8443', ['vllm', 'relay.acme.test']),
  ).toBe(`${GONE} at ${GONE}: ${GONE}, ${GONE}`);
  expect(withoutPlaces('https://docs.x.ai/a', ['docs.x.ai'])).toBe(GONE);
});

test.each(['a.', '1.', ':', 'a-', 'http://'])('a long text of %j is cleaned in little time', (piece) =>
  expectLinear(64_000, (size) => withoutPlaces(piece.repeat(size / piece.length), ['a.b', 'vllm'])),
);

test.each([
  ['https://Api.Example.com/v1', 'api.example.com'],
  ['socks5://user:pw@10.0.0.1:1080', '10.0.0.1'],
  ['proxy.local:3128', 'proxy.local'],
  ['', undefined],
])('the host in %s', (address, host) => {
  expect(hostIn(address)).toBe(host);
});
