import type { JsonObject } from './behaviour.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';

/** An error in OpenAI's shape. */
export function errorBody(message: string, type: string, code: string | null, param: string | null = null): JsonObject {
  return { error: { message, type, param, code } };
}

export function refusal(
  status: number,
  message: string,
  code: string | null,
  param: string | null = null,
): SimulatedReply {
  return jsonReply(status, errorBody(message, 'invalid_request_error', code, param));
}

const known: Record<number, [type: string, code: string | null, message: string]> = {
  400: ['invalid_request_error', null, 'The request was not understood.'],
  401: ['invalid_request_error', 'invalid_api_key', 'Incorrect API key provided.'],
  402: ['insufficient_quota', 'insufficient_quota', 'Payment is required.'],
  403: [
    'invalid_request_error',
    'unsupported_country_region_territory',
    'Country, region, or territory not supported.',
  ],
  404: ['invalid_request_error', 'model_not_found', 'The model does not exist or you do not have access to it.'],
  429: ['requests', 'rate_limit_exceeded', 'Rate limit reached for requests. Please try again later.'],
  500: ['server_error', null, 'The server had an error while processing your request. Sorry about that!'],
  503: ['server_error', null, 'The engine is currently overloaded, please try again later.'],
};

/** OpenAI's error for a status, approximately. */
export function bodyForStatus(status: number): JsonObject {
  const [type, code, message] = known[status] ?? known[status < 500 ? 400 : 500]!;
  return errorBody(message, type, code);
}
