import OpenAI from 'openai';
import { expect } from 'vitest';

export interface RelayResponse {
  status: number;
  headers: Headers;
  text: string;
  requestId: string;
}

interface ErrorBody {
  error: { message: string; type: string; param: string | null; code: string };
}

/** The official client without retries. */
export const clientOf = (hub: { url: string }, key: string): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${hub.url}/v1`, maxRetries: 0 });

export const hello = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'hello' }] };

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array;

/** Calls a relay endpoint; strings and bytes are sent unchanged. */
export async function post(
  hub: { url: string },
  key: string | undefined,
  body: unknown,
  path = '/v1/chat/completions',
  init: RequestInit = {},
): Promise<RelayResponse> {
  const response = await fetch(hub.url + path, {
    method: 'POST',
    ...init,
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(init.headers as Record<string, string> | undefined),
    },
    ...(init.method !== 'GET' && { body: isRaw(body) ? body : JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    text: await response.text(),
    requestId: response.headers.get('x-oneapi-request-id') ?? '',
  };
}

/** A refusal in OpenAI's shape, whose id must match the header. */
export function errorOf({ text, requestId, headers }: RelayResponse): ErrorBody['error'] {
  expect(headers.get('content-type')).toContain('application/json');
  const { error } = JSON.parse(text) as ErrorBody;
  expect(requestId).toMatch(/^\d{23}\w{8}$/);
  expect(error).toEqual({
    message: expect.stringContaining(`(request id: ${requestId})`),
    type: expect.any(String),
    param: error.param,
    code: expect.any(String),
  });
  expect(error.message).not.toMatch(/\bat .*\.ts:\d|node_modules|sk-\w/);
  return error;
}
