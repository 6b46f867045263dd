import { isObject, type Json } from '#json.ts';
import type { ChatFault } from './chat.ts';
import { BadReply } from './chat-errors.ts';
import { lookUp } from './fields.ts';

/** An error in any of the vendors' common shapes. */
export interface VendorError {
  message: string;
  /** Such as `overloaded_error`, `RESOURCE_EXHAUSTED`, `insufficient_quota`. */
  type: string | undefined;
  code: string | undefined;
  param: string | undefined;
  status: number | undefined;
}

/**
 * The error in a reply: `{error: {message, type, code, status}}`, alone or in a list (Gemini), `{error: "text"}`,
 * `{type: "error", …}`; undefined if there is none.
 */
export function vendorErrorIn(json: unknown): VendorError | undefined {
  const found: unknown = Array.isArray(json) ? json[0] : json;
  if (!isObject(found)) return undefined;
  const { error } = found;
  if (typeof error === 'string' && error !== '') return { ...nothing, message: error };
  if (isObject(error)) return read(error);
  return found['type'] === 'error' ? read(found) : undefined;
}

const nothing = { type: undefined, code: undefined, param: undefined, status: undefined };

function read(error: Json): VendorError {
  const { message, type, code, status, param } = error;
  return {
    message: text(message) ?? text(code) ?? text(type) ?? 'error',
    type: (type === 'error' ? undefined : text(type)) ?? text(status),
    code: text(code),
    param: text(param),
    status: typeof code === 'number' && code >= 400 && code < 600 ? code : undefined,
  };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const statuses: Record<string, number> = {
  invalid_request_error: 400,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
  overloaded: 529,
};

/** The HTTP status that an error's type or code stands for. */
export const statusNamed = (name: string | undefined): number | undefined => lookUp(statuses, name ?? '');

/** The fault for such an error. */
export function faultOf({ message, type, code, status }: VendorError, where: 'stream' | 'reply'): ChatFault {
  return {
    code: where === 'stream' ? 'error_in_stream' : 'error_in_reply',
    message,
    vendorType: type ?? code,
    vendorCode: code,
    status: status ?? statusNamed(type) ?? statusNamed(code),
  };
}

/** The reply as an object. Throws `BadReply` for an error or a non-object. */
export function replyObject(json: unknown): Json {
  const error = vendorErrorIn(json);
  if (error) throw new BadReply(faultOf(error, 'reply'));
  if (!isObject(json)) throw new BadReply({ code: 'bad_reply', message: 'the answer is no JSON object' });
  return json;
}
