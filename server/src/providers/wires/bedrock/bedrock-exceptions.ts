import { objectOr, parseJson, textOr } from '#json.ts';
import type { ChatFault } from '#chat/chat.ts';
import { lookup } from '#providers/lookup.ts';
import type { Statuses } from '#providers/upstream-errors.ts';
import type { EventFrame } from './event-stream.ts';

/** HTTP statuses for Bedrock's exceptions; in streams their first letter is lower case. */
export const bedrockStatuses: Statuses = {
  ThrottlingException: 429,
  ModelNotReadyException: 429,
  ServiceUnavailableException: 503,
  ModelTimeoutException: 408,
  ModelErrorException: 424,
  ModelStreamErrorException: 424,
  InternalServerException: 500,
  ValidationException: 400,
  AccessDeniedException: 403,
  ResourceNotFoundException: 404,
  ServiceQuotaExceededException: 400,
  UnrecognizedClientException: 403,
  ExpiredTokenException: 403,
};

const statusOf = lookup(bedrockStatuses);

/** The error in a stream message; undefined for an event. */
export function faultIn({ headers, payload }: EventFrame): ChatFault | undefined {
  const kind = headers[':message-type'] ?? 'event';
  if (kind === 'event') return undefined;
  const named = headers[':exception-type'] ?? headers[':error-code'] ?? kind;
  const vendorType = named.charAt(0).toUpperCase() + named.slice(1);
  const body = objectOr(parseJson(payload.toString('utf8')));
  const message = textOr(body['message'], undefined) ?? textOr(body['Message'], undefined) ?? headers[':error-message'];
  return { code: 'error_in_stream', message: message ?? vendorType, vendorType, status: statusOf(vendorType) };
}
