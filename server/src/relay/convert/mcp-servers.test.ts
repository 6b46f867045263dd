import { beforeAll, expect, test } from 'vitest';
import { addCaller } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';

const hub = hubForSuite(newSqlite);
const raw = rawUpstreamForSuite();
let key: string;

const replies: Record<string, object> = {
  claude: {
    type: 'message',
    content: [{ type: 'text', text: 'OK' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, output_tokens: 1 },
  },
  gpt: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [
      { type: 'mcp_call', id: 'mcp_1', server_label: 'docs', name: 'search', arguments: '{}', output: 'found' },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'OK', annotations: [] }],
      },
    ],
    usage: { input_tokens: 5, output_tokens: 1, total_tokens: 6 },
  },
  gemini: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'OK' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1, totalTokenCount: 6 },
  },
};

beforeAll(async () => {
  await addChannel(hub(), raw().url, { type: 14, models: 'claude-sonnet-4-5' });
  await addChannel(hub(), raw().url, { type: 1, models: 'gpt-5-codex' });
  await addChannel(hub(), raw().url, { type: 25, models: 'gemini-2.5-flash' });
  key = (await addCaller(hub().server.deps.db)).key;
  raw().reply = (response) => {
    const url = raw().requests.at(-1)!.url;
    sendJson(response, replies[url.includes('messages') ? 'claude' : url.includes('responses') ? 'gpt' : 'gemini']!);
  };
});

const server = { server_label: 'docs', server_url: 'https://docs.example/mcp' };
const ofResponses = { type: 'mcp', ...server, authorization: 'secret', require_approval: 'never' };
const ofMessages = { type: 'url', name: 'docs', url: server.server_url, authorization_token: 'secret' };
const responses = (model: string, tool: object, more: object = {}) =>
  post(hub(), key, { model, input: 'x', tools: [tool], ...more }, '/v1/responses');
const messages = (model: string, more: object) => {
  const body = {
    model,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'x' }],
    mcp_servers: [ofMessages],
    ...more,
  };
  return post(hub(), key, body, '/v1/messages', { headers: { 'anthropic-beta': 'mcp-client-2025-11-20' } });
};
const sent = () => JSON.parse(raw().requests.at(-1)!.body.toString()) as Record<string, unknown>;

test('an MCP server of Responses is called by Claude, with the flag that it wants', async () => {
  const reply = await responses('claude-sonnet-4-5', { ...ofResponses, allowed_tools: ['search'] });
  expect([reply.status, reply.headers.get('x-relay-dropped')]).toEqual([200, null]);
  const configs = { search: { enabled: true } };
  expect(sent()).toMatchObject({
    mcp_servers: [ofMessages],
    tools: [{ type: 'mcp_toolset', mcp_server_name: 'docs', default_config: { enabled: false }, configs }],
  });
  expect(raw().requests.at(-1)!.headers['anthropic-beta']).toBe('mcp-client-2025-11-20');
});

test.each([
  ['a toolset', { tools: [{ type: 'mcp_toolset', mcp_server_name: 'docs' }] }, undefined],
  [
    'a toolset that enables some',
    {
      tools: [
        { type: 'mcp_toolset', mcp_server_name: 'docs', default_config: { enabled: false }, configs: { search: {} } },
      ],
    },
    ['search'],
  ],
  [
    'the former form',
    { mcp_servers: [{ ...ofMessages, tool_configuration: { allowed_tools: ['search'] } }] },
    ['search'],
  ],
])('an MCP server of Messages is called by OpenAI: %s', async (_, more, allowed_tools) => {
  const reply = await messages('gpt-5-codex', more);
  expect([reply.status, reply.headers.get('x-relay-dropped')]).toEqual([200, null]);
  expect(sent()['tools']).toEqual([{ ...ofResponses, ...(allowed_tools && { allowed_tools }) }]);
  expect(reply.text).toContain('"text":"OK"');
});

test('what cannot be is named', async () => {
  const dropped = async (reply: ReturnType<typeof post>) => (await reply).headers.get('x-relay-dropped');
  expect(await dropped(responses('claude-sonnet-4-5', { type: 'mcp', ...server }))).toBe('tools.mcp');
  const connector = { ...ofResponses, server_url: undefined, connector_id: 'connector_dropbox' };
  expect(await dropped(responses('claude-sonnet-4-5', connector))).toBe('tools.mcp');
  expect(await dropped(responses('gemini-2.5-flash', ofResponses))).toBe('tools.mcp');
  expect(await dropped(messages('gemini-2.5-flash', {}))).toBe('mcp_servers');
  expect(sent()).not.toHaveProperty('mcp_servers');
});
