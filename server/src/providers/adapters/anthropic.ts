import { isObject, textOr } from '#json.ts';
import { mcpFlag } from '#chat/anthropic/write-anthropic-request.ts';
import { anthropicWire } from '#chat/codecs.ts';
import { anthropicBatches } from '#providers/task-vendors/anthropic-batches.ts';
import { anthropicMessages } from '#usage/anthropic-messages.ts';
import { ANTHROPIC_VERSION, forwarded } from '../open-ai-targets.ts';
import type { CallTarget, Operation, ProviderCall, ProviderWire } from '../operation.ts';
import type { Provider } from '../provider.ts';
import { namesIn } from '../questions.ts';
import { behindGateway } from '../target.ts';
import { errorsWith } from '../upstream-errors.ts';

const target = (call: ProviderCall, path: string): CallTarget => ({
  baseUrl: call.baseUrl,
  path: behindGateway(call.baseUrl, path),
  headers: { ...provider.headers(call.key), ...forwarded(call, 'anthropic-version', 'anthropic-beta') },
});

/** The clouds that serve Claude call no MCP servers. */
const wire: ProviderWire = { ...anthropicWire, mcp: true, headers: mcpFlag };

const operation = (path: string): Operation => ({
  dialect: 'anthropic',
  path,
  target: (call) => target(call, path),
  usage: anthropicMessages,
  wire,
});

export const provider: Provider = {
  id: 'anthropic',
  type: 14,
  title: 'Anthropic Claude',
  baseUrl: 'https://api.anthropic.com',
  testModel: 'claude-haiku-4-5',
  website: 'https://console.anthropic.com',
  promptCacheS: 300,
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': ANTHROPIC_VERSION }),
  chat: operation('/v1/messages'),
  countTokens: operation('/v1/messages/count_tokens'),
  raw: { ...operation(''), target: (call) => target(call, call.callerPath ?? '') },
  batches: anthropicBatches,
  models: {
    path: '/v1/models?limit=1000',
    read: (reply) => namesIn(reply, 'data', 'id'),
    next: (reply) => {
      const { has_more: more, last_id: last } = isObject(reply) ? reply : {};
      const after = textOr(last, '');
      return more === true && after !== '' ? `/v1/models?limit=1000&after_id=${encodeURIComponent(after)}` : undefined;
    },
  },
  // Errors inside a stream have no HTTP status.
  error: errorsWith({
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    request_too_large: 413,
    rate_limit_error: 429,
    api_error: 500,
    timeout_error: 504,
    overloaded_error: 529,
  }),
};
